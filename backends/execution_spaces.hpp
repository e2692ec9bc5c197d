#pragma once

#include <Kokkos_Core.hpp>

/// \file
/// The execution spaces of this build: those listed here that this Kokkos has (and CMake's list of
/// the same, in cmake/KvcanaryKokkos.cmake, that says whose folder is compiled). Library, command
/// line and tests take them from here.

#ifdef KOKKOS_ENABLE_SERIAL
#define KVCANARY_IF_SERIAL(MACRO) MACRO(Kokkos::Serial)
#else
#define KVCANARY_IF_SERIAL(MACRO)
#endif
#ifdef KOKKOS_ENABLE_OPENMP
#define KVCANARY_IF_OPENMP(MACRO) MACRO(Kokkos::OpenMP)
#else
#define KVCANARY_IF_OPENMP(MACRO)
#endif
#ifdef KOKKOS_ENABLE_CUDA
#define KVCANARY_IF_CUDA(MACRO) MACRO(Kokkos::Cuda)
#else
#define KVCANARY_IF_CUDA(MACRO)
#endif
#ifdef KOKKOS_ENABLE_HIP
#define KVCANARY_IF_HIP(MACRO) MACRO(Kokkos::HIP)
#else
#define KVCANARY_IF_HIP(MACRO)
#endif

/// MACRO(Space) for every execution space, the reference first and devices last.
#define KVCANARY_FOR_EACH_SPACE(MACRO) \
  KVCANARY_IF_SERIAL(MACRO) KVCANARY_IF_OPENMP(MACRO) KVCANARY_IF_CUDA(MACRO) KVCANARY_IF_HIP(MACRO)

namespace kvcanary {

/// Types as one type.
template <class... Types>
struct TypeList {};

namespace detail {
template <class First, class... Others>
struct WithoutFirst {
  using Type = TypeList<Others...>;
};
}  // namespace detail

#define KVCANARY_COMMA_THEN(Space) , Space
/// All of them.
using ExecutionSpaces =
    typename detail::WithoutFirst<void KVCANARY_FOR_EACH_SPACE(KVCANARY_COMMA_THEN)>::Type;
#undef KVCANARY_COMMA_THEN

/// Calls `visit.template operator()<Space>()` for every execution space.
template <class Visit, class... Spaces>
void for_each_space(TypeList<Spaces...>, Visit&& visit) {
  (visit.template operator()<Spaces>(), ...);
}

/// Whether an execution space runs on the host, where one thread walks many entries instead of one
/// each.
template <class ExecSpace>
inline constexpr bool is_host_space =
    Kokkos::SpaceAccessibility<ExecSpace, Kokkos::HostSpace>::accessible &&
    Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename ExecSpace::memory_space>::accessible;

}  // namespace kvcanary
