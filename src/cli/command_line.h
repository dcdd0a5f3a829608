#pragma once

#include <clade/methods.h>
#include <clade/parameters.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command_page.h"
#include "report/flag_text.h"

namespace CLI {
class App;
}

namespace clade::cli {

// The arguments of one command. A thin layer over the command-line library, which is slow to compile: only
// command_line.cpp and configuration.cpp include it.
class Arguments {
 public:
  // `page` collects what is declared, `markdown` the same for the reference. To declare every option of every command
  // for parsing takes longer than many a command itself: of those that are only described, `app` and `markdown` are
  // null.
  Arguments(CLI::App* app, CommandPage& page, std::string* markdown) : app_(app), page_(page), markdown_(markdown) {}

  void positional(std::string_view name, std::string& value, std::string_view help, bool required = true);
  // One that may stand several times.
  void positional(std::string_view name, std::vector<std::string>& values, std::string_view help, bool required = true);
  // `kind` is one word for the value: FILE, COUNT, ...
  void option(std::string_view flags, std::string_view kind, std::string& value, std::string_view help,
              bool required = false);
  // The same for a file that the command writes.
  void output(std::string_view flags, std::string_view kind, std::string& value, std::string_view help,
              bool required = false);
  void flag(std::string_view flags, bool& value, std::string_view help);
  // Adds all parameters of a table under a heading of the help.
  void parameters(std::string_view heading, const ParameterTable& table,
                  OptionGroup::Place place = OptionGroup::Place::kCommand);
  // Adds the parameters of the methods among which an option chooses, each once. The user's values are kept in `given`
  // until the method is known.
  void parameters(std::string_view heading, const MethodChoice& choice, Parameters& given);
  // Adds text below the help. The short help has the first lines of it.
  void examples(std::string_view text);
  // The options that most users need, as "--output --force": the short help shows them alone.
  void often(std::string_view flags);

 private:
  void add_option(OptionPage option);

  CLI::App* app_;
  CommandPage& page_;
  std::string* markdown_;
};

// What the user asked for: a command by number, or text to print before ending.
struct ParsedCommand {
  int command = -1;
  std::string text;
  bool usage_error = false;
  std::string note;  // on defaults that were taken from a file
  // The command with those of its arguments that can change what it computes, for processes that work together.
  std::string request;
};

struct CommandEntry {
  std::string_view name;
  std::string_view help;
  std::function<void(Arguments&)> declare;
};

// Parses a command line; values are stored where declare() bound them. Describes the commands in `pages`. Throws Error
// (kInput) for wrong usage.
ParsedCommand parse_command_line(int argc, const char* const* argv, const std::vector<CommandEntry>& commands,
                                 std::vector<CommandPage>& pages);

}  // namespace clade::cli
