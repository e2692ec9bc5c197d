# Runs the benchmarks PERF on a few tiny cases, and PLOT on the JSON that they wrote.

cmake_minimum_required(VERSION 3.22)

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${ARGN} ended with ${status}")
  endif()
endfunction()

file(REMOVE "${JSON}")
run("${PERF}"
  "--benchmark_filter=^(write/[^/]*/(4x1|4x128)/prefix:4096/.*/off/|write/[^/]*/128x1/.*/check/|(verify|plan)/[^/]*/1x128/)"
  "--benchmark_out=${JSON}" --benchmark_out_format=json)

file(READ "${JSON}" text)
string(JSON count LENGTH "${text}" benchmarks)
if(count LESS 5)
  message(FATAL_ERROR "${JSON} holds ${count} benchmarks")
endif()
string(JSON median GET "${text}" benchmarks 0 median_us)
string(JSON commit GET "${text}" context commit)
message(STATUS "commit ${commit}, the first median ${median} us")

if(PYTHON)
  run("${PYTHON}" "${PLOT}" "${JSON}")
endif()
