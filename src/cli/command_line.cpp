#include "cli/command_line.h"

#include <clade/error.h>
#include <clade/version.h>
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <sstream>

#include "report/parameter_tables.h"

namespace clade::cli {
namespace {

constexpr int kHelpColumn = 34;

std::string help_of(const ParameterInfo& parameter) {
  std::string text = with_flags(parameter.help);
  if (!parameter.choices.empty()) text += fmt::format(" [{}]", fmt::join(parameter.choices, "|"));
  if (!parameter.range.empty()) text += fmt::format(" ({})", parameter.range);
  if (!parameter.is_flag() && !parameter.default_text.empty())
    text += fmt::format(", default {}", parameter.default_text);
  return text;
}

std::string kind_of(const ParameterInfo& parameter) {
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

std::string with_flags(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::size_t end = text[at] == '`' ? text.find('`', at + 1) : std::string_view::npos;
    const std::string_view name = end == std::string_view::npos ? "" : text.substr(at + 1, end - at - 1);
    const bool is_name = !name.empty() && std::ranges::all_of(name, [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
    });
    if (!is_name) {
      result += text[at];
      continue;
    }
    result += "--" + std::string(name);
    at = end;
  }
  return result;
}

std::vector<std::string> with_flags(std::vector<std::string> notes) {
  for (std::string& note : notes) note = with_flags(note);
  return notes;
}

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
  std::vector<ParameterInfo> infos = infos_of(table);
  for (ParameterInfo& info : infos) info.help = with_flags(info.help);
  page_ += fmt::format("**{}**\n\n{}\n", heading, parameters_markdown(infos, "--"));
}

void Arguments::parameters(std::string_view heading, const std::vector<MethodInfo>& methods, Parameters& given) {
  std::vector<Parameter> all;
  for (const MethodInfo& method : methods) {
    for (const ParameterInfo& info : method.parameters) {
      const auto known = std::ranges::find(all, info.name, &Parameter::name);
      if (known == all.end()) {
        all.push_back({info, [&given, name = info.name](std::string_view text) { given[name] = text; },
                       [] { return std::string(); }});
        continue;
      }
      if (known->default_text != info.default_text) known->default_text = "by method";
      if (info.help.find(known->help) != std::string::npos) {
        known->help = info.help;  // says what the other says, and more
      } else if (known->help.find(info.help) == std::string::npos) {
        known->help += "; " + info.help;
      }
      for (const std::string& choice : info.choices) {
        if (std::ranges::find(known->choices, choice) == known->choices.end()) known->choices.push_back(choice);
      }
    }
  }
  ParameterTable table;
  for (Parameter& parameter : all) table.add(std::move(parameter));
  parameters(heading, table);
}

void Arguments::examples(std::string_view text) {
  app_.footer("Examples:\n" + std::string(text));
}

ParsedCommand parse_command_line(int argc, const char* const* argv, const std::vector<CommandEntry>& commands) {
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
