# Finds Kokkos, and sets KVCANARY_BACKENDS to those of our backends that it has, in lower case: the
# names of the folders in backends/.

find_package(Kokkos 4.6...<6 QUIET)
if(NOT Kokkos_FOUND)
  set(_kvcanary_seen "")
  foreach(_config _version IN ZIP_LISTS Kokkos_CONSIDERED_CONFIGS Kokkos_CONSIDERED_VERSIONS)
    string(APPEND _kvcanary_seen "  Seen, but of no use: ${_config} (version ${_version})\n")
  endforeach()
  message(FATAL_ERROR
    "kvcanary needs Kokkos, at least 4.6 and below 6, and found none.\n${_kvcanary_seen}"
    "One of these provides it:\n"
    "  ./dev build                   builds where everything is installed (as root, on Debian)\n"
    "  -DKokkos_ROOT=<prefix>        where Kokkos is installed, when that is not a usual place\n"
    "  the package libkokkos-dev     on a Debian or Ubuntu that has a version in this range\n")
endif()

set(KVCANARY_BACKENDS "")
foreach(_backend IN ITEMS SERIAL OPENMP CUDA HIP)
  if(Kokkos_ENABLE_${_backend})
    string(TOLOWER ${_backend} _backend)
    list(APPEND KVCANARY_BACKENDS ${_backend})
  endif()
endforeach()
message(STATUS "Kokkos ${Kokkos_VERSION} in ${Kokkos_DIR}, backends: ${KVCANARY_BACKENDS}")

foreach(_backend IN LISTS KVCANARY_REQUIRE_BACKENDS)
  string(TOLOWER ${_backend} _backend)
  if(NOT _backend IN_LIST KVCANARY_BACKENDS)
    string(TOUPPER ${_backend} _option)
    message(FATAL_ERROR
      "KVCANARY_REQUIRE_BACKENDS asks for ${_backend}, but the Kokkos in ${Kokkos_DIR} was built "
      "for: ${KVCANARY_BACKENDS}.\n"
      "Give -DKokkos_ROOT=<prefix> of a Kokkos that was built with -DKokkos_ENABLE_${_option}=ON.")
  endif()
endforeach()
