#include "cli/help_text.h"

#include <clade/version.h>
#include <fmt/format.h>

#include <algorithm>

namespace clade::cli {
namespace {

using Place = OptionGroup::Place;

constexpr std::size_t kHelpColumn = 30;
constexpr std::size_t kLineWidth = 110;

// A name on the left, and its help, broken into lines, on the right.
std::string help_entry(std::string_view name, std::string_view help) {
  std::string text = fmt::format("  {:<{}}", name, kHelpColumn - 2);
  if (text.size() > kHelpColumn || text.back() != ' ') text += "\n" + std::string(kHelpColumn, ' ');
  std::size_t column = kHelpColumn;
  for (std::size_t at = 0; at < help.size();) {
    const std::size_t end = std::min(help.find(' ', at), help.size());
    const std::string_view word = help.substr(at, end - at);
    if (column > kHelpColumn && column + 1 + word.size() > kLineWidth) {
      text += "\n" + std::string(kHelpColumn, ' ');
      column = kHelpColumn;
    }
    if (column > kHelpColumn) {
      text += ' ';
      ++column;
    }
    text += word;
    column += word.size();
    at = end + 1;
  }
  return text + "\n";
}

std::string help_entry(const OptionPage& option) {
  std::string name = option.flags;
  if (const std::size_t comma = name.find(','); comma != std::string::npos) name.insert(comma + 1, " ");
  return help_entry(option.is_flag() ? name : name + " " + option.kind, option.help);
}

std::string group_text(std::string_view heading, const std::vector<OptionPage>& options) {
  std::string text = fmt::format("\n{}:\n", heading);
  for (const OptionPage& option : options) text += help_entry(option);
  return text;
}

std::string usage(const CommandPage& page) {
  std::string text = "clade " + page.name;
  for (const PositionalPage& positional : page.positionals) {
    const std::string name = positional.name + (positional.repeats ? "..." : "");
    text += positional.is_required ? " " + name : fmt::format(" [{}]", name);
  }
  return page.groups.empty() ? text : text + " [OPTIONS]";
}

std::vector<OptionPage> often_used(const CommandPage& page) {
  std::vector<OptionPage> options;
  for (const std::string& flag : page.often) {
    if (const OptionPage* option = page.find(flag)) options.push_back(*option);
  }
  return options;
}

// Those on the first lines; a line that ends in a backslash goes on in the next.
std::string first_examples(const std::string& examples) {
  constexpr int kMost = 4;
  std::size_t end = 0;
  for (int count = 0; count < kMost && end < examples.size();) {
    end = std::min(examples.find('\n', end), examples.size() - 1) + 1;
    if (end < 2 || examples[end - 2] != '\\') ++count;
  }
  return examples.substr(0, end);
}

bool has_shared_page(const CommandPage& page) {
  return std::ranges::find(page.groups, Place::kSharedPage, &OptionGroup::place) != page.groups.end();
}

// Where the options are that the help leaves out.
std::string more(const CommandPage& page, bool shows_method, bool is_short) {
  std::string text;
  if (is_short) text += help_entry(fmt::format("clade {} --help-all", page.name), "all options, and more examples");
  if (page.choice && !shows_method) {
    const std::string& word = page.choice->word;
    text += help_entry(fmt::format("clade {} {} NAME --help", page.name, page.choice->flag),
                       fmt::format("the parameters of a {}; clade {} shows all", word,
                                   page.find("--list") != nullptr ? page.name + " --list" : "methods"));
  }
  if (has_shared_page(page)) {
    text += help_entry(fmt::format("clade help {}", kSharedTopic), "the options for reading tables and raw text");
  }
  return text.empty() ? text : "\nMore:\n" + text;
}

}  // namespace

std::string help_text(const std::vector<CommandPage>& pages) {
  std::string text = "Clade " CLADE_VERSION ": learning over class hierarchies\n\nUsage: clade COMMAND [ARGUMENTS]\n\n";
  for (const CommandPage& page : pages) text += help_entry(page.name, page.help);
  text += "\n" + help_entry("--help, --version", "this text; the version and what it is built with");
  return text + "\nclade COMMAND --help explains a command.\n";
}

std::string help_text(const CommandPage& page, std::string_view method, HelpLength length) {
  const bool is_short = length == HelpLength::kShort && !page.often.empty();
  std::string text = fmt::format("clade {}: {}\n\nUsage: {}\n", page.name, page.help, usage(page));
  if (!page.positionals.empty()) text += "\n";
  for (const PositionalPage& positional : page.positionals) text += help_entry(positional.name, positional.help);
  const MethodInfo* chosen = page.choice && !method.empty() ? &method_named(*page.choice, method) : nullptr;
  if (is_short) text += group_text("Common options", often_used(page));
  for (const OptionGroup& group : page.groups) {
    if (group.place == Place::kCommand && !is_short) text += group_text(group.heading, group.options);
    if (group.place != Place::kMethod || chosen == nullptr) continue;
    std::vector<OptionPage> own;
    for (const ParameterInfo& parameter : chosen->parameters) own.push_back(option_page(parameter));
    text += group_text(fmt::format("Parameters of {} ({})", chosen->name, chosen->help), own);
    if (own.empty()) text += "  none\n";
  }
  text += more(page, chosen != nullptr, is_short);
  const std::string examples = is_short ? first_examples(page.examples) : page.examples;
  return examples.empty() ? text : text + "\nExamples:\n" + examples;
}

std::string shared_help_text(const std::vector<CommandPage>& pages) {
  const auto found = std::ranges::find_if(pages, has_shared_page);
  std::string text = "Options of all commands that read data, beside those that their help shows\n";
  for (const OptionGroup& group : found->groups) {
    if (group.place == Place::kSharedPage) text += group_text(group.heading, group.options);
  }
  return text;
}

}  // namespace clade::cli
