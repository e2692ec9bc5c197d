#pragma once

/// \file
namespace kvcanary::perf {

/// What belongs beside the results: machine, versions, commit.
void add_context();

}  // namespace kvcanary::perf
