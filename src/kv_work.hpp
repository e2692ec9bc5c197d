#pragma once

/// \file
/// How much of a slot's KV bytes a launch hashes.
namespace kvcanary {

/// Kernels are compiled for each where hashing takes registers that the rest of their work could
/// use.
enum class KVWork {
  none,
  few,  ///< up to tuning::Shared::few_kv_bytes in each endpoint
  one,  ///< one source of any size
  many
};

}  // namespace kvcanary
