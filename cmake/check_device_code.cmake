# Compiles a GPU backend's code with the GPU's compiler, against a Kokkos that was built without that
# backend. Nothing is linked or run: this says that the code compiles, without warnings, and what
# each kernel takes of the GPU: registers, and memory where they don't suffice. Fails when that is
# more than in device_resources/.
#
#   cmake -D BACKEND=cuda|hip -D KOKKOS_INCLUDE=... -D SOURCE_DIR=... -D WORK_DIR=...
#         [-D COMPILER=...] [-D UPDATE=ON] -P check_device_code.cmake
#
# With UPDATE, or the environment's KVCANARY_UPDATE_RESOURCES=1, the numbers in device_resources/ are
# rewritten instead. That is for a change that is meant to take more, or takes less; for new kernels;
# and for another version of the compiler or of Kokkos, with which nothing is compared until then.
#
# A Kokkos holds the headers of all backends; a few generated ones say which are on. WORK_DIR gets
# copies of those, with BACKEND switched on, and comes first where the compiler looks for headers.
# Prints a line with "SKIPPED:", and succeeds, where COMPILER (by default nvcc or hipcc) is missing.

cmake_minimum_required(VERSION 3.22)

# ---- what the backends differ in -----------------------------------------------------------------

if(BACKEND STREQUAL "cuda")
  set(name Cuda)
  set(compiler_names nvcc)
  set(compiler_folders /usr/local/cuda/bin)
  set(version_pattern "release [0-9.]+, V([0-9.]+)")
  set(minimum_version 13.0)
  set(needed "nvcc (CUDA 13)")
  set(target sm_90)
  set(target_definitions KOKKOS_ARCH_HOPPER KOKKOS_ARCH_HOPPER90)
  set(flags -x cu -arch=${target} --extended-lambda --expt-relaxed-constexpr -Xptxas -v
    -Werror all-warnings -Xcompiler -fopenmp,-Wall,-Wextra,-Werror)
elseif(BACKEND STREQUAL "hip")
  set(name HIP)
  set(compiler_names hipcc)
  set(compiler_folders /opt/rocm/bin)
  set(version_pattern "HIP version: *([0-9.]+)")
  set(minimum_version 6.2)
  set(needed "hipcc (ROCm 6.2)")
  set(target gfx942)
  set(target_definitions "KOKKOS_ARCH_AMD_GPU \"AMD_GFX942\"" KOKKOS_ARCH_AMD_GFX942)
  set(flags -x hip --offload-arch=${target} -Xarch_host -O0 -fopenmp -Wall -Wextra -Werror
    -Rpass-analysis=kernel-resource-usage)
else()
  message(FATAL_ERROR "BACKEND is '${BACKEND}'; it may be cuda or hip")
endif()
string(TOUPPER "${BACKEND}" upper)

# ---- the compiler --------------------------------------------------------------------------------

# Sets `compiler`, `version`, empty when there is no compiler, and `made_with`, which also names the
# compiler below it, if there is one.
macro(find_compiler)
  set(version "")
  find_program(compiler NAMES ${COMPILER} ${compiler_names} PATHS ${compiler_folders} NO_CACHE)
  if(compiler)
    execute_process(COMMAND "${compiler}" --version
      OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE status)
    if(output MATCHES "${version_pattern}")
      set(version "${CMAKE_MATCH_1}")
      set(made_with "${compiler_names} ${version}")
      if(output MATCHES "clang version ([0-9.]+)")
        string(APPEND made_with ", clang ${CMAKE_MATCH_1}")
      endif()
    else()
      message(FATAL_ERROR "${compiler} --version ended with ${status}, and says:\n${output}")
    endif()
  endif()
endmacro()

# ---- headers of Kokkos with the backend switched on ----------------------------------------------

function(read_header header out)
  if(NOT EXISTS "${KOKKOS_INCLUDE}/${header}")
    message(FATAL_ERROR "Kokkos has no ${KOKKOS_INCLUDE}/${header}, where its backends are set")
  endif()
  file(READ "${KOKKOS_INCLUDE}/${header}" text)
  set(${out} "${text}" PARENT_SCOPE)
endfunction()

# Each definition is "NAME" or "NAME VALUE". CMake leaves `/* #undef NAME */` where a name is off.
function(derive_definitions header)
  read_header(${header} text)
  foreach(definition IN LISTS ARGN)
    string(REGEX MATCH "^[A-Z0-9_]+" macro "${definition}")
    set(off "/* #undef ${macro} */")
    string(FIND "${text}" "${off}" at)
    if(NOT at EQUAL -1)
      string(REPLACE "${off}" "#define ${definition}" text "${text}")
    elseif(NOT text MATCHES "#define ${macro}[ \n]")
      message(FATAL_ERROR "${KOKKOS_INCLUDE}/${header} has neither '${off}' nor '#define ${macro}'")
    endif()
  endforeach()
  file(WRITE "${WORK_DIR}/include/${header}" "${text}")
endfunction()

# The include goes last: Kokkos wants the host's backends before the device's.
function(derive_include header included)
  read_header(${header} text)
  if(NOT EXISTS "${KOKKOS_INCLUDE}/${included}")
    message(FATAL_ERROR "Kokkos has no ${KOKKOS_INCLUDE}/${included}")
  endif()
  set(line "#include <${included}>")
  string(FIND "${text}" "${line}" at)
  if(at EQUAL -1)
    string(FIND "${text}" "\n#endif" at REVERSE)
    if(at EQUAL -1)
      message(FATAL_ERROR "${KOKKOS_INCLUDE}/${header} does not end in an #endif")
    endif()
    string(SUBSTRING "${text}" 0 ${at} before)
    string(SUBSTRING "${text}" ${at} -1 after)
    set(text "${before}\n${line}\n${after}")
  endif()
  file(WRITE "${WORK_DIR}/include/${header}" "${text}")
endfunction()

function(derive_headers)
  derive_definitions(KokkosCore_config.h KOKKOS_ENABLE_${upper} ${target_definitions})
  derive_definitions(desul/atomics/Config.hpp DESUL_ATOMICS_ENABLE_${upper})
  derive_include(KokkosCore_Config_DeclareBackend.hpp decl/Kokkos_Declare_${upper}.hpp)
  derive_include(KokkosCore_Config_FwdBackend.hpp fwd/Kokkos_Fwd_${upper}.hpp)
  derive_include(KokkosCore_Config_SetupBackend.hpp setup/Kokkos_Setup_${name}.hpp)
endfunction()

# ---- compiling -----------------------------------------------------------------------------------

function(compile source)
  file(RELATIVE_PATH relative "${SOURCE_DIR}" "${source}")
  get_filename_component(stem "${source}" NAME_WE)
  message(STATUS "compiling ${relative}")
  set(output "${WORK_DIR}/${stem}.txt")
  execute_process(
    COMMAND "${compiler}" ${flags} -std=c++20
      -isystem "${WORK_DIR}/include" -isystem "${KOKKOS_INCLUDE}"
      "-I${SOURCE_DIR}/include" "-I${SOURCE_DIR}"
      -c "${source}" -o "${WORK_DIR}/${stem}.o"
    OUTPUT_FILE "${output}" ERROR_FILE "${output}" RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    file(READ "${output}" text)
    message("${text}")
    message(FATAL_ERROR "${relative} does not compile for ${upper}, or not without warnings")
  endif()
endfunction()

# ---- what the kernels take -----------------------------------------------------------------------

# The compiler has said it while it compiled.
function(compare_resources)
  find_program(python NAMES python3 NO_CACHE)
  if(NOT python)
    message(FATAL_ERROR "there is no python3 here, which reads what the kernels take of a GPU")
  endif()
  read_header(KokkosCore_config.h text)
  set(kokkos_version "")
  foreach(part IN ITEMS MAJOR MINOR PATCH)
    if(NOT text MATCHES "#define KOKKOS_VERSION_${part} ([0-9]+)")
      message(FATAL_ERROR "${KOKKOS_INCLUDE}/KokkosCore_config.h has no KOKKOS_VERSION_${part}")
    endif()
    list(APPEND kokkos_version ${CMAKE_MATCH_1})
  endforeach()
  list(JOIN kokkos_version "." kokkos_version)
  set(update "")
  if(UPDATE OR "$ENV{KVCANARY_UPDATE_RESOURCES}")
    set(update --update)
  endif()
  file(GLOB outputs "${WORK_DIR}/*.txt")
  execute_process(
    COMMAND "${python}" -B "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/device_resources/compare.py"
      ${outputs} --tool ${compiler_names} --target ${target} --test device_code.${BACKEND}
      --made-with "${made_with}, Kokkos ${kokkos_version}"
      --kept "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/device_resources/${target}.txt"
      --sources "${SOURCE_DIR}/include" "${SOURCE_DIR}/src" ${update}
    RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "the kernels do not take what they should of the GPU: see above")
  endif()
endfunction()

# ---- main ----------------------------------------------------------------------------------------

foreach(variable IN ITEMS KOKKOS_INCLUDE SOURCE_DIR WORK_DIR)
  if(NOT ${variable})
    message(FATAL_ERROR "${variable} must be given")
  endif()
endforeach()
find_compiler()
if(NOT version)
  message(STATUS "SKIPPED: no ${needed} here: the code for ${upper} was not compiled")
  return()
elseif(version VERSION_LESS minimum_version)
  message(STATUS "SKIPPED: no ${needed} here, only ${version}: the code for ${upper} was not compiled")
  return()
endif()
file(GLOB sources "${SOURCE_DIR}/backends/${BACKEND}/*.cpp")
if(NOT sources)
  message(FATAL_ERROR "${SOURCE_DIR}/backends/${BACKEND} holds no sources")
endif()

message(STATUS "${compiler} ${version}, for ${target}, Kokkos in ${KOKKOS_INCLUDE}")
file(REMOVE_RECURSE "${WORK_DIR}")
derive_headers()
foreach(source IN LISTS sources)
  compile("${source}")
endforeach()
list(LENGTH sources count)
message(STATUS "compiled without warnings: ${count} of ${count} in backends/${BACKEND}")
compare_resources()
