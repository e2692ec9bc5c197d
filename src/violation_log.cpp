#include <kvcanary/violation_log.hpp>

#include "src/seal.hpp"

namespace kvcanary {

std::uint64_t seal_of(const Violation& violation, Count index) {
  return detail::seal(violation, index);
}

}  // namespace kvcanary
