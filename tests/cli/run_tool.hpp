#pragma once

#include <string>
#include <vector>

namespace kvcanary::cli_test {

/// What a run of the command line left behind.
struct ToolRun {
  int exit_code;
  std::string out;  ///< standard output
  std::string err;  ///< standard error
};

/// Runs `kvcanary` with these arguments, as a shell would, without a terminal. `environment`
/// changes what it inherits, in the words of env(1): NAME=VALUE, --unset=NAME.
ToolRun run_tool(const std::vector<std::string>& arguments,
                 const std::vector<std::string>& environment = {});

/// A new empty folder that is removed with the process.
std::string temporary_folder();

/// The whole of a file.
std::string read_file(const std::string& path);

/// Writes `text` to a new file in a temporary folder and returns its path.
std::string file_with(const std::string& text);

}  // namespace kvcanary::cli_test
