#include "cli/command_line.h"

#include <clade/version.h>
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <sstream>

namespace clade::cli {
namespace {

constexpr int kHelpColumn = 34;

std::string help_of(const Parameter& parameter) {
  std::string text = parameter.help;
  if (!parameter.choices.empty()) text += fmt::format(" [{}]", fmt::join(parameter.choices, "|"));
  if (!parameter.range.empty()) text += fmt::format(" ({})", parameter.range);
  if (!parameter.is_flag() && !parameter.default_text.empty())
    text += fmt::format(", default {}", parameter.default_text);
  return text;
}

std::string kind_of(const Parameter& parameter) {
  if (parameter.type == "int") return "N";
  if (parameter.type == "float") return "X";
  return parameter.type == "choice" ? "WORD" : "TEXT";
}

std::string one_line(std::string text) {
  for (char& c : text) {
    if (c == '\n') c = ' ';
  }
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

}  // namespace

void Arguments::positional(std::string_view name, std::string& value, std::string_view help, bool required) {
  app_.add_option(std::string(name), value, std::string(help))->required(required)->type_name("");
  page_ += fmt::format("`{}`{}: {}\n\n", name, required ? "" : " (optional)", help);
}

void Arguments::option(std::string_view flags, std::string_view kind, std::string& value, std::string_view help,
                       bool required) {
  app_.add_option(std::string(flags), value, std::string(help))->required(required)->type_name(std::string(kind));
  page_ += fmt::format("`{} {}`{}: {}\n\n", flags, kind, required ? "" : " (optional)", help);
}

void Arguments::flag(std::string_view flags, bool& value, std::string_view help) {
  app_.add_flag(std::string(flags), value, std::string(help));
  page_ += fmt::format("`{}`: {}\n\n", flags, help);
}

void Arguments::parameters(std::string_view heading, const ParameterTable& table) {
  for (const auto& parameter : table.parameters()) {
    const std::string name = "--" + parameter.name;
    if (parameter.is_flag()) {
      app_.add_flag_callback(
              name, [set = parameter.set] { set("true"); }, help_of(parameter))
          ->group(std::string(heading));
    } else {
      app_.add_option_function<std::string>(
              name, [set = parameter.set](const std::string& text) { set(text); }, help_of(parameter))
          ->type_name(kind_of(parameter))
          ->group(std::string(heading));
    }
  }
  page_ += fmt::format("**{}**\n\n{}\n", heading, table.to_markdown());
}

void Arguments::examples(std::string_view text) {
  app_.footer("Examples:\n" + std::string(text));
}

Choice parse_command_line(int argc, const char* const* argv, const std::vector<CommandEntry>& commands) {
  CLI::App app("Clade: learning over class hierarchies", "clade");
  app.require_subcommand(0, 1);
  app.set_version_flag("--version", std::string("clade ") + CLADE_VERSION);
  app.get_formatter()->column_width(kHelpColumn);
  app.footer("clade COMMAND --help explains a command.");
  bool reference = false;
  app.add_flag("--reference", reference)->group("");  // for scripts/update_reference.sh
  std::string pages = "# Reference of parameters\n\nMade by `scripts/update_reference.sh`; do not edit.\n\n";
  for (const auto& command : commands) {
    CLI::App* sub = app.add_subcommand(std::string(command.name), std::string(command.help));
    sub->get_formatter()->column_width(kHelpColumn);
    pages += fmt::format("## clade {}\n\n{}.\n\n", command.name, command.help);
    Arguments arguments(*sub, pages);
    command.declare(arguments);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {  // help or version
    std::ostringstream text;
    app.exit(success, text, text);
    return {.text = text.str()};
  } catch (const CLI::ParseError& error) {
    throw usage_error(one_line(error.what()), "clade --help, or clade COMMAND --help, shows what is allowed");
  }
  if (reference) return {.text = pages};
  for (std::size_t k = 0; k < commands.size(); ++k) {
    if (app.got_subcommand(std::string(commands[k].name))) return {.command = static_cast<int>(k)};
  }
  return {.text = app.help(), .usage_error = true};
}

}  // namespace clade::cli
