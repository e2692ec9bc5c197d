#include "oracle/report.hpp"

#include <ostream>

namespace oracle {

std::ostream& operator<<(std::ostream& out, const Violation& violation) {
  return out << "{tag " << violation.launch_tag << ", slot " << violation.slot << ", position "
             << violation.position << ", stored_token " << violation.stored_token
             << ", expected_token " << violation.expected_token << ", stored_chain_hash "
             << violation.stored_chain_hash << ", expected_aux " << violation.expected_aux
             << ", fail_bits " << violation.fail_bits << ", request_row " << violation.request_row
             << ", entry " << violation.entry << ", expected_position "
             << violation.expected_position << ", stored_kv_hash " << violation.stored_kv_hash
             << ", expected_kv_hash " << violation.expected_kv_hash << '}';
}

void Report::add(const Violation& violation) {
  violations.push_back(violation);
  ++total;
}

}  // namespace oracle
