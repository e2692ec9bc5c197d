# Writes HEADER with the commit of SOURCE_DIR, when that is another than the one it has.

find_program(git git NO_CACHE)
set(commit "")
if(git)
  execute_process(
    COMMAND "${git}" -C "${SOURCE_DIR}" describe --always --dirty --abbrev=12 "--exclude=*"
    OUTPUT_VARIABLE commit ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
endif()
if(NOT commit)
  set(commit unknown)
endif()

set(text "#define KVCANARY_PERF_COMMIT \"${commit}\"\n")
set(old "")
if(EXISTS "${HEADER}")
  file(READ "${HEADER}" old)
endif()
if(NOT old STREQUAL text)
  file(WRITE "${HEADER}" "${text}")
endif()
