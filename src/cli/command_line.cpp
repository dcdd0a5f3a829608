#include "cli/command_line.h"

#include <clade/build.h>
#include <clade/error.h>
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <ranges>
#include <span>
#include <sstream>

#include "cli/check_values.h"
#include "cli/configuration.h"
#include "cli/help_text.h"
#include "cli/words.h"
#include "report/parameter_tables.h"
#include "report/version_report.h"

namespace clade::cli {
namespace {

constexpr const char* kOwnOptions = "Options";

std::string one_line(std::string text) {
  for (char& c : text) {
    if (c == '\n') c = ' ';
  }
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

}  // namespace

void Arguments::add_option(OptionPage option) {
  // Options without a heading of their own stand before all others.
  if (page_.groups.empty() || page_.groups.front().heading != kOwnOptions) {
    page_.groups.insert(page_.groups.begin(), OptionGroup{.heading = kOwnOptions, .options = {}});
  }
  page_.groups.front().options.push_back(std::move(option));
}

void Arguments::positional(std::string_view name, std::string& value, std::string_view help, bool required) {
  if (app_ != nullptr) app_->add_option(std::string(name), value)->required(required);
  page_.positionals.push_back({std::string(name), std::string(help), required});
  if (markdown_ != nullptr) *markdown_ += fmt::format("`{}`{}: {}\n\n", name, required ? "" : " (optional)", help);
}

void Arguments::positional(std::string_view name, std::vector<std::string>& values, std::string_view help,
                           bool required) {
  if (app_ != nullptr) app_->add_option(std::string(name), values)->required(required);
  page_.positionals.push_back({std::string(name), std::string(help), required, true});
  if (markdown_ != nullptr) *markdown_ += fmt::format("`{}...`{}: {}\n\n", name, required ? "" : " (optional)", help);
}

void Arguments::option(std::string_view flags, std::string_view kind, std::string& value, std::string_view help,
                       bool required) {
  if (app_ != nullptr) app_->add_option(std::string(flags), value)->required(required)->type_name(std::string(kind));
  add_option({.flags = std::string(flags), .kind = std::string(kind), .help = std::string(help), .choices = {}});
  if (markdown_ != nullptr)
    *markdown_ += fmt::format("`{} {}`{}: {}\n\n", flags, kind, required ? "" : " (optional)", help);
}

void Arguments::output(std::string_view flags, std::string_view kind, std::string& value, std::string_view help,
                       bool required) {
  option(flags, kind, value, help, required);
  page_.groups.front().options.back().is_output = true;
}

void Arguments::flag(std::string_view flags, bool& value, std::string_view help) {
  if (app_ != nullptr) app_->add_flag(std::string(flags), value);
  add_option({.flags = std::string(flags), .kind = {}, .help = std::string(help), .choices = {}});
  if (markdown_ != nullptr) *markdown_ += fmt::format("`{}`: {}\n\n", flags, help);
}

void Arguments::parameters(std::string_view heading, const ParameterTable& table, OptionGroup::Place place) {
  OptionGroup& group =
      page_.groups.emplace_back(OptionGroup{.heading = std::string(heading), .place = place, .options = {}});
  for (const auto& parameter : table.parameters()) {
    const OptionPage& option = group.options.emplace_back(option_page(parameter));
    if (app_ == nullptr) continue;
    if (option.is_flag()) {
      app_->add_flag_callback(option.flags, [set = parameter.set] { set("true"); });
    } else {
      app_->add_option_function<std::string>(option.flags,
                                             [set = parameter.set](const std::string& text) { set(text); })
          ->type_name(option.kind);
    }
  }
  if (markdown_ == nullptr) return;
  std::vector<ParameterInfo> infos = infos_of(table);
  for (ParameterInfo& info : infos) info.help = with_flags(info.help);
  *markdown_ += fmt::format("**{}**\n\n{}\n", heading, parameters_markdown(infos, "--"));
}

void Arguments::parameters(std::string_view heading, const MethodChoice& choice, Parameters& given) {
  page_.choice = choice;
  std::vector<Parameter> all;
  for (const MethodInfo& method : choice.methods) {
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
      for (const std::string& word : info.choices) {
        if (std::ranges::find(known->choices, word) == known->choices.end()) known->choices.push_back(word);
      }
    }
  }
  ParameterTable table;
  for (Parameter& parameter : all) table.add(std::move(parameter));
  parameters(heading, table, OptionGroup::Place::kMethod);
}

void Arguments::examples(std::string_view text) {
  page_.examples = text;
}

void Arguments::often(std::string_view flags) {
  std::istringstream words{std::string(flags)};
  for (std::string flag; words >> flag;) page_.often.push_back(flag);
}

namespace {

// `clade help train ...` is `clade train ... --help`.
void turn_help_around(std::vector<std::string>& words, const std::vector<CommandPage>& pages) {
  if (words.size() < 2 || words[0] != "help") return;
  if (std::ranges::find(pages, words[1], &CommandPage::name) == pages.end()) return;
  words.erase(words.begin());
  words.emplace_back("--help");
}

// Parses the words of one command. The library takes them from behind.
void parse_words(CLI::App& app, const CommandPage& page, const std::vector<std::string>& defaults,
                 const std::vector<std::string>& words) {
  std::vector<std::string> all{words[0]};
  // The library would take the word after `--option=` for its value.
  const auto add = [&](const std::string& word) {
    const std::string flag = word.substr(0, word.find('='));
    const bool ends_there = word.starts_with("--") && flag.size() + 1 == word.size();
    const OptionPage* const option = ends_there ? page.find(flag) : nullptr;
    all.push_back(option == nullptr ? word : flag);
    if (option != nullptr) all.emplace_back();
  };
  std::ranges::for_each(defaults, add);
  std::ranges::for_each(words.begin() + 1, words.end(), add);
  std::ranges::reverse(all);
  try {
    app.parse(std::move(all));
  } catch (const CLI::ParseError& error) {
    throw usage_error(one_line(error.what()), fmt::format("clade {} --help shows what is allowed", page.name));
  }
}

std::vector<GivenValue> given_values(const CLI::App& app, const CommandPage& page) {
  std::vector<GivenValue> given;
  for (const OptionGroup& group : page.groups) {
    for (const OptionPage& option : group.options) {
      const CLI::Option* parsed = app.get_option(option.long_flag());
      if (option.is_flag() || parsed->count() == 0) continue;
      given.push_back({.option = &option, .value = parsed->results().back()});
    }
  }
  return given;
}

ParsedCommand parse_version(std::span<const std::string> options) {
  if (options.empty()) return {.text = version_text(build(), program_build)};
  if (options.size() == 1 && options[0] == "--json") return {.text = version_json(build(), program_build) + "\n"};
  throw usage_error(fmt::format("unexpected '{}' after --version", options[0] == "--json" ? options[1] : options[0]),
                    "expected nothing, or --json");
}

ParsedCommand parse_top_level(std::span<const std::string> words, const std::vector<CommandPage>& pages,
                              const std::string& reference) {
  const std::string& word = words[0];
  if (word == "--help" || word == "-h") return {.text = help_text(pages)};
  if (word == "--version") return parse_version(words.subspan(1));
  if (word == "--reference") return {.text = reference};  // for scripts/update_reference.sh
  throw usage_error(fmt::format("unexpected option '{}'", word),
                    "options stand after the command: clade COMMAND " + word);
}

// Options that change how and where, but not what.
bool is_only_about_running(const std::string& flag) {
  constexpr std::string_view kFlags[] = {"--threads", "--memory-limit", "--memory", "--quiet", "--verbose",
                                         "--json",    "--work",         "--resume", "--force", "--output"};
  return std::ranges::find(kFlags, flag) != std::end(kFlags);
}

std::string request_text(const CommandPage& page, const CommandWords& words, const Defaults& defaults) {
  std::string text(page.name);
  for (const std::string& word : words.positionals) text += " " + word;
  for (const auto& [flag, value] : words.options) {
    if (!is_only_about_running(flag)) text += value.empty() ? " " + flag : fmt::format(" {}={}", flag, value);
  }
  for (const std::string& word : defaults.words) {
    if (!is_only_about_running(word.substr(0, word.find('=')))) text += " " + word;
  }
  return text;
}

}  // namespace

ParsedCommand parse_command_line(int argc, const char* const* argv, const std::vector<CommandEntry>& commands,
                                 std::vector<CommandPage>& pages) {
  CLI::App app("Clade", "clade");
  app.require_subcommand(0, 1);
  std::vector<std::string> words(argv + 1, argv + argc);
  // `clade help COMMAND` is turned around below.
  const auto is_named = [&](std::string_view name) {
    return std::ranges::any_of(words | std::views::take(2), [&](const std::string& word) { return word == name; });
  };
  const bool wants_reference = is_named("--reference");
  std::string reference = "# Reference of parameters\n\nMade by `scripts/update_reference.sh`; do not edit.\n\n";
  for (const auto& command : commands) {
    CLI::App* const sub = is_named(command.name) ? app.add_subcommand(std::string(command.name)) : nullptr;
    CommandPage& page = pages.emplace_back();
    page.name = command.name;
    page.help = command.help;
    reference += fmt::format("## clade {}\n\n{}.\n\n", command.name, command.help);
    Arguments arguments(sub, page, wants_reference ? &reference : nullptr);
    command.declare(arguments);
  }
  if (words.empty()) return {.text = help_text(pages), .usage_error = true};
  if (words[0].starts_with('-')) return parse_top_level(words, pages, reference);
  turn_help_around(words, pages);
  const CommandPage& page = command_named(pages, words[0]);
  const CommandWords sorted = sort_words(std::span(words).subspan(1), page, pages);
  if (sorted.wants_help) {
    const auto method = page.choice ? sorted.options.find(page.choice->flag) : sorted.options.end();
    return {.text = help_text(page, method == sorted.options.end() ? "" : method->second,
                              sorted.wants_all ? HelpLength::kAll : HelpLength::kShort)};
  }
  const Defaults defaults = read_defaults(page, pages, sorted);
  try {
    check_positionals(page, sorted.positionals);
    parse_words(app, page, defaults.words, words);
    check_values(given_values(*app.get_subcommand(page.name), page));
  } catch (const Error& error) {
    if (defaults.note.empty()) throw;
    throw usage_error(error.problem(), fmt::format("{} ({})", error.expected(), defaults.note));
  }
  return {.command = static_cast<int>(&page - pages.data()),
          .note = defaults.note,
          .request = request_text(page, sorted, defaults)};
}

}  // namespace clade::cli
