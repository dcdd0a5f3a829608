#pragma once

#include <clade/methods.h>
#include <clade/parameters.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace clade::cli {

// The library writes a parameter as `lambda`; here it becomes its flag: --lambda.
std::string with_flags(std::string_view text);
std::vector<std::string> with_flags(std::vector<std::string> notes);

// The arguments of one command. A thin layer over the command-line library, which is slow to compile: only
// command_line.cpp includes it.
class Arguments {
 public:
  // `page` collects the same declarations in Markdown, for the reference.
  Arguments(CLI::App& app, std::string& page) : app_(app), page_(page) {}

  void positional(std::string_view name, std::string& value, std::string_view help, bool required = true);
  // `kind` is one word for the value: FILE, COUNT, ...
  void option(std::string_view flags, std::string_view kind, std::string& value, std::string_view help,
              bool required = false);
  void flag(std::string_view flags, bool& value, std::string_view help);
  // Adds all parameters of a table under a heading of the help.
  void parameters(std::string_view heading, const ParameterTable& table);
  // Adds the parameters of several methods, each once. The user's values are kept in `given` until the method is known.
  void parameters(std::string_view heading, const std::vector<MethodInfo>& methods, Parameters& given);
  // Adds text below the help.
  void examples(std::string_view text);

 private:
  CLI::App& app_;
  std::string& page_;
};

// What the user asked for: a command by number, or text to print before ending.
struct ParsedCommand {
  int command = -1;
  std::string text;
  bool usage_error = false;
};

struct CommandEntry {
  std::string_view name;
  std::string_view help;
  std::function<void(Arguments&)> declare;
};

// Parses a command line; values are stored where declare() bound them. Throws Error (kInput) for wrong usage.
ParsedCommand parse_command_line(int argc, const char* const* argv, const std::vector<CommandEntry>& commands);

}  // namespace clade::cli
