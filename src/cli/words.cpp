#include "cli/words.h"

#include <clade/error.h>
#include <clade/names.h>
#include <fmt/format.h>

namespace clade::cli {
namespace {

std::string expected_option(const std::string& flag, const CommandPage& page, const std::vector<CommandPage>& pages) {
  std::string others;
  for (const CommandPage& other : pages) {
    if (other.find(flag) != nullptr) others += (others.empty() ? "clade " : ", clade ") + other.name;
  }
  if (!others.empty()) return fmt::format("it is an option of {}", others);
  std::vector<std::string> names;
  for (const OptionGroup& group : page.groups) {
    for (const OptionPage& option : group.options) names.push_back(option.long_flag().substr(2));
  }
  const std::string near = nearest_name(flag.substr(flag.find_first_not_of('-')), names);
  return near.empty() ? fmt::format("clade {} --help-all shows its options", page.name)
                      : fmt::format("did you mean '--{}'?", near);
}

std::string positionals_of(const CommandPage& page) {
  std::string names;
  for (const PositionalPage& positional : page.positionals) {
    names += " " + positional.name + (positional.repeats ? "..." : "");
  }
  return names.empty() ? " options alone" : names;
}

}  // namespace

CommandWords sort_words(std::span<const std::string> words, const CommandPage& page,
                        const std::vector<CommandPage>& pages) {
  CommandWords result;
  const auto take_positional = [&](const std::string& word) {
    const bool repeats = !page.positionals.empty() && page.positionals.back().repeats;
    if (result.positionals.size() >= page.positionals.size() && !repeats) {
      throw usage_error(fmt::format("unexpected argument '{}'", word),
                        fmt::format("clade {} takes{}", page.name, positionals_of(page)));
    }
    result.positionals.push_back(word);
  };
  // Notes down an option; says whether it takes a value.
  const auto take_flag = [&](const std::string& flag) {
    if (flag == "--help" || flag == "-h" || flag == "--help-all") {
      result.wants_help = true;
      result.wants_all = result.wants_all || flag == "--help-all";
      return false;
    }
    const OptionPage* option = page.find(flag);
    if (option == nullptr) {
      throw usage_error(fmt::format("clade {} has no option '{}'", page.name, flag),
                        expected_option(flag, page, pages));
    }
    result.options[option->long_flag()];
    return !option->is_flag();
  };
  bool options_end = false;
  for (std::size_t k = 0; k < words.size(); ++k) {
    const std::string& word = words[k];
    if (options_end || word.size() < 2 || word[0] != '-') {
      take_positional(word);
    } else if (word == "--") {
      options_end = true;
    } else if (word.starts_with("--")) {
      const std::size_t equals = word.find('=');
      const std::string flag = word.substr(0, equals);
      if (!take_flag(flag)) continue;
      const bool is_next = equals == std::string::npos;
      if (is_next && k + 1 == words.size()) continue;  // the parser says what is missing
      result.options[flag] = is_next ? words[++k] : word.substr(equals + 1);
    } else {
      // "-vo x": the last letter may take a value, or what follows it in the word.
      for (std::size_t at = 1; at < word.size(); ++at) {
        const std::string flag = {'-', word[at]};
        if (!take_flag(flag)) continue;
        const std::string name = page.find(flag)->long_flag();
        if (at + 1 < word.size()) {
          result.options[name] = word.substr(at + 1);
        } else if (k + 1 < words.size()) {
          result.options[name] = words[++k];
        }
        break;
      }
    }
  }
  return result;
}

}  // namespace clade::cli
