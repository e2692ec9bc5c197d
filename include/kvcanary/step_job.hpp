#pragma once

#include <kvcanary/endpoint.hpp>
#include <kvcanary/request_batch.hpp>
#include <kvcanary/token_batch.hpp>
#include <span>

/// \file
/// An engine step as one pool sees it.
namespace kvcanary {

/// One pool's part of a step: its requests with the pool's table, translation and window, the
/// tokens that they add with their slots in the pool, and the buffers that lie beside it.
struct StepJob {
  RequestBatch requests;
  TokenBatch tokens;
  std::span<const Endpoint> endpoints;
};

}  // namespace kvcanary
