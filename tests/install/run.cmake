# Installs a build of kvcanary into a new prefix, then builds an outside project with it and runs it.
#
#   cmake -D BUILD_DIR=... -D WORK_DIR=... -D OUTSIDE_ARGS=... -P run.cmake
#
# OUTSIDE_ARGS are arguments to the outside project's configuration: generator, compiler, Kokkos. What
# only kvcanary's tests and tools need can't be found there.

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE "${WORK_DIR}")
set(prefix "${WORK_DIR}/prefix")
run("${CMAKE_COMMAND}" --install "${BUILD_DIR}" --prefix "${prefix}")
set(hidden "")
foreach(package IN ITEMS fmt nlohmann_json CLI11 GTest benchmark)
  list(APPEND hidden "-DCMAKE_DISABLE_FIND_PACKAGE_${package}=ON")
endforeach()
run("${CMAKE_COMMAND}" -S "${CMAKE_CURRENT_LIST_DIR}" -B "${WORK_DIR}/build"
  "-DCMAKE_PREFIX_PATH=${prefix}" --no-warn-unused-cli ${hidden} ${OUTSIDE_ARGS})
run("${CMAKE_COMMAND}" --build "${WORK_DIR}/build")
run("${WORK_DIR}/build/outside")
