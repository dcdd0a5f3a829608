#include "cli/command_page.h"

#include <clade/error.h>
#include <clade/names.h>
#include <fmt/format.h>

#include <algorithm>

#include "cli/command_line.h"

namespace clade::cli {
namespace {

std::string kind_of(const ParameterInfo& parameter) {
  if (parameter.is_flag()) return "";
  if (parameter.type == "int") return "N";
  if (parameter.type == "float") return "X";
  return parameter.type == "choice" ? "WORD" : "TEXT";
}

}  // namespace

const OptionPage* CommandPage::find(std::string_view flag) const {
  for (const OptionGroup& group : groups) {
    for (const OptionPage& option : group.options) {
      if (flag == option.long_flag() || flag == option.short_flag()) return &option;
    }
  }
  return nullptr;
}

OptionPage option_page(const ParameterInfo& parameter) {
  std::string help = with_flags(parameter.help);
  if (!parameter.choices.empty()) help += fmt::format(" [{}]", fmt::join(parameter.choices, "|"));
  if (!parameter.range.empty()) help += fmt::format(" ({})", parameter.range);
  if (!parameter.is_flag() && !parameter.default_text.empty()) {
    help += fmt::format(", default {}", parameter.default_text);
  }
  // The only parameter that everybody expects under one letter.
  const std::string flags = (parameter.name == "verbose" ? "-v,--" : "--") + parameter.name;
  return {.flags = flags,
          .kind = kind_of(parameter),
          .help = std::move(help),
          .choices = parameter.choices,
          .is_output = parameter.name == "bad-rows"};  // the only parameter of the library that is one
}

const MethodInfo& method_named(const MethodChoice& choice, std::string_view name) {
  const auto found = std::ranges::find(choice.methods, name, &MethodInfo::name);
  if (found != choice.methods.end()) return *found;
  std::vector<std::string> names;
  for (const MethodInfo& method : choice.methods) names.emplace_back(method.name);
  throw usage_error(fmt::format("no {} '{}'", choice.word, name), expected_name(name, names));
}

const CommandPage& command_named(const std::vector<CommandPage>& pages, std::string_view name) {
  const auto found = std::ranges::find(pages, name, &CommandPage::name);
  if (found != pages.end()) return *found;
  std::vector<std::string> names;
  for (const CommandPage& page : pages) names.push_back(page.name);
  throw usage_error(fmt::format("unknown command '{}'", name), expected_name(name, names));
}

}  // namespace clade::cli
