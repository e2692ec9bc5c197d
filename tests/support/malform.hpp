#pragma once

#include "tests/support/case.hpp"
#include "tests/support/rng.hpp"

/// \file
/// Damages what a valid case gives to an operation. The host can't see any of it, so no operation
/// may refuse it, read or write outside of a buffer, or do anything but what docs/semantics.md
/// says.

void malform(Rng& rng, oracle::RequestBatch& batch);
void malform(Rng& rng, oracle::WritePlan& plan);
void malform(Rng& rng, oracle::TokenBatch& batch);
void malform(Rng& rng, oracle::VerifyPlan& plan);

/// Makes buffers and KV sources smaller than the pool, and padding slots of others.
void malform(Rng& rng, std::vector<oracle::Endpoint>& endpoints);

/// Flips bits, swaps, copies or clears records and KV bytes, as a wrong kernel or transfer would.
void corrupt(Rng& rng, std::vector<oracle::Endpoint>& endpoints);
