#pragma once

/// \file
/// For code that seldom runs, beside code that often does.

/// Before a loop of a kernel: it stays a loop. What is seldom done must not keep registers, or
/// lines of the instruction cache, from the rest: a decode step, whose kernel runs once and is
/// over, waits for every line that its code is spread over.
#if defined(__CUDA_ARCH__) || defined(__clang__)
#define KVCANARY_SELDOM_LOOP _Pragma("unroll 1")
#else
#define KVCANARY_SELDOM_LOOP
#endif
