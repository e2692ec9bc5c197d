#include "tests/cli/run_tool.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace kvcanary::cli_test {
namespace {

std::string quoted(const std::string& argument) {
  std::string text = "'";
  for (const char c : argument) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

/// Removes its folder at the end of the process.
struct TemporaryFolder {
  std::string path;
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "kvcanary-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make " + name);
    path = name;
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path); }
};

std::string new_path() {
  static int count = 0;
  return temporary_folder() + "/" + std::to_string(++count);
}

}  // namespace

std::string temporary_folder() {
  static const TemporaryFolder folder;
  return folder.path;
}

std::string read_file(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::string file_with(const std::string& text) {
  const std::string path = new_path();
  std::ofstream(path) << text;
  return path;
}

ToolRun run_tool(const std::vector<std::string>& arguments,
                 const std::vector<std::string>& environment) {
  const std::string out = new_path(), err = new_path();
  std::string command = "env";
  for (const std::string& change : environment) command += " " + quoted(change);
  command += " " + quoted(KVCANARY_TOOL);
  for (const std::string& argument : arguments) command += " " + quoted(argument);
  command += " </dev/null >" + out + " 2>" + err;
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_file(out), read_file(err)};
}

}  // namespace kvcanary::cli_test
