#pragma once

/// \file
/// The groups of benchmarks. Kokkos must be initialised.
namespace kvcanary::perf {

/// copy/...: the bandwidth that the others are to be seen against.
void register_copy_benchmarks();

/// write/...: every case of the matrix that fits, on every execution space of the build.
void register_write_benchmarks();

/// verify/... and plan/...: the same for verify_requests, and for plan.
void register_verify_benchmarks();

/// step/...: the same for step, both sides of it.
void register_step_benchmarks();

}  // namespace kvcanary::perf
