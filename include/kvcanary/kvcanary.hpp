#pragma once

/// \file
/// All of kvcanary.
#include <kvcanary/canary_buffer.hpp>
#include <kvcanary/chain_hash.hpp>
#include <kvcanary/count.hpp>
#include <kvcanary/endpoint.hpp>
#include <kvcanary/int_span.hpp>
#include <kvcanary/kv_source.hpp>
#include <kvcanary/launch_counters.hpp>
#include <kvcanary/launch_tag.hpp>
#include <kvcanary/memory.hpp>
#include <kvcanary/padding.hpp>
#include <kvcanary/plan.hpp>
#include <kvcanary/record.hpp>
#include <kvcanary/request_batch.hpp>
#include <kvcanary/slot_table.hpp>
#include <kvcanary/token_batch.hpp>
#include <kvcanary/verify.hpp>
#include <kvcanary/verify_plan.hpp>
#include <kvcanary/verify_requests.hpp>
#include <kvcanary/violation.hpp>
#include <kvcanary/violation_log.hpp>
#include <kvcanary/warm_up.hpp>
#include <kvcanary/write.hpp>
#include <kvcanary/write_plan.hpp>
