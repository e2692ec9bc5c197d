#pragma once

#include <Kokkos_Core.hpp>
#include <cstring>
#include <kvcanary/kv_source.hpp>
#include <vector>

#include "src/arguments.hpp"
#include "src/kv_source_args.hpp"

/// \file
/// The members of KVSources.
namespace kvcanary {

template <class MemorySpace>
template <class ExecSpace>
KVSources<MemorySpace>::KVSources(const ExecSpace& space, std::span<const KVSource> sources) {
  detail::check_kv_sources(sources, detail::unreachable_memory<ExecSpace>());
  const std::vector<detail::KVSourceArgs> args = detail::to_args(sources);
  const std::size_t bytes = args.size() * sizeof(detail::KVSourceArgs);
  descriptions_ = decltype(descriptions_)(
      Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "kvcanary::kv_sources"), bytes);
  if (bytes > 0) {
    Kokkos::deep_copy(space, descriptions_,
                      host_view(reinterpret_cast<const std::byte*>(args.data()), bytes));
  }
  space.fence("kvcanary::KVSources");
  list_ = detail::list_of(args, descriptions_.data(), memory_of<MemorySpace>());
}

}  // namespace kvcanary
