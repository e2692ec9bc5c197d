#pragma once

#include "oracle/plan.hpp"
#include "tests/support/rng.hpp"

/// \file
/// Batches with lists instead of a table.

/// Gives a batch of right lengths lists that say of all positions it reads what its table does:
/// lists of pages or of slots, and where nothing before them is looked up, of the last positions
/// alone. A batch without padded requests may lose its rows.
void turn_into_lists(Rng& rng, oracle::RequestBatch& batch);
