#include "cli/words.h"

#include <clade/error.h>
#include <clade/names.h>
#include <fmt/format.h>

namespace clade::cli {
namespace {

// "--output" of "--output=x", "-o" of "-ox".
std::string flag_of(const std::string& word) {
  return word.starts_with("--") ? word.substr(0, word.find('=')) : word.substr(0, 2);
}

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
  return near.empty() ? fmt::format("clade {} --help shows its options", page.name)
                      : fmt::format("did you mean '--{}'?", near);
}

std::string positionals_of(const CommandPage& page) {
  std::string names;
  for (const PositionalPage& positional : page.positionals) names += " " + positional.name;
  return names.empty() ? " options alone" : names;
}

}  // namespace

CommandWords sort_words(std::span<const std::string> words, const CommandPage& page,
                        const std::vector<CommandPage>& pages) {
  CommandWords result;
  bool options_end = false;
  for (std::size_t k = 0; k < words.size(); ++k) {
    const std::string& word = words[k];
    if (!options_end && word == "--") {
      options_end = true;
      continue;
    }
    const bool is_option = !options_end && word.size() > 1 && word[0] == '-';
    if (!is_option) {
      if (result.positionals.size() == page.positionals.size()) {
        throw usage_error(fmt::format("unexpected argument '{}'", word),
                          fmt::format("clade {} takes{}", page.name, positionals_of(page)));
      }
      result.positionals.push_back(word);
      continue;
    }
    const std::string flag = flag_of(word);
    if (flag == "--help" || flag == "-h") {
      result.wants_help = true;
      continue;
    }
    const OptionPage* option = page.find(flag);
    if (option == nullptr) {
      throw usage_error(fmt::format("clade {} has no option '{}'", page.name, flag),
                        expected_option(flag, page, pages));
    }
    std::string& value = result.options[option->long_flag()];
    if (option->is_flag()) continue;
    if (flag.size() < word.size()) {
      value = word.substr(flag.size() + (word[flag.size()] == '=' ? 1 : 0));
    } else if (k + 1 < words.size()) {
      value = words[++k];
    }
  }
  return result;
}

}  // namespace clade::cli
