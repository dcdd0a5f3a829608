#include "cli/configuration.h"

#include <clade/error.h>
#include <clade/names.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

namespace clade::cli {
namespace {

constexpr const char* kName = "clade.toml";

// Those that exist, the one that goes before others first.
std::vector<std::string> configuration_files() {
  namespace fs = std::filesystem;
  std::vector<fs::path> places{kName};
  const char* folder = std::getenv("XDG_CONFIG_HOME");
  const char* home = std::getenv("HOME");
  if (folder != nullptr && *folder != '\0') {
    places.push_back(fs::path(folder) / "clade" / kName);
  } else if (home != nullptr && *home != '\0') {
    places.push_back(fs::path(home) / ".config" / "clade" / kName);
  }
  std::vector<std::string> found;
  std::error_code ignored;
  for (const fs::path& place : places) {
    if (fs::is_regular_file(place, ignored)) found.push_back(place.string());
  }
  return found;
}

std::vector<CLI::ConfigItem> items_of(const std::string& file) {
  std::ifstream stream(file);
  if (!stream) throw input_error({.file = file}, "cannot be read", "expected a readable file");
  std::vector<CLI::ConfigItem> items;
  try {
    items = CLI::ConfigTOML().from_config(stream);
  } catch (const CLI::Error& error) {
    throw input_error({.file = file}, error.what(), "expected sections [command] with lines option = value");
  }
  // The parser marks where sections begin and end.
  std::erase_if(items, [](const CLI::ConfigItem& item) { return item.name == "++" || item.name == "--"; });
  return items;
}

Error unknown_key(const std::string& file, const std::string& what, const std::string& word,
                  const std::vector<std::string>& names, const std::string& otherwise) {
  const std::string near = nearest_name(word, names);
  return input_error({.file = file}, fmt::format("no {} '{}'", what, word),
                     near.empty() ? otherwise : fmt::format("did you mean '{}'?", near));
}

void require_option(const std::string& file, const std::vector<const CommandPage*>& pages, const std::string& key,
                    const std::string& what) {
  std::vector<std::string> names;
  for (const CommandPage* page : pages) {
    for (const OptionGroup& group : page->groups) {
      for (const OptionPage& option : group.options) names.push_back(option.long_flag().substr(2));
    }
  }
  if (std::ranges::find(names, key) != names.end()) return;
  throw unknown_key(file, what, key, names, "expected the long name of an option");
}

// Checks the whole file, so that a mistake shows up at once and not with the command that it concerns.
void check_items(const std::string& file, const std::vector<CLI::ConfigItem>& items,
                 const std::vector<CommandPage>& pages) {
  std::vector<std::string> commands;
  std::vector<const CommandPage*> all;
  for (const CommandPage& page : pages) {
    commands.push_back(page.name);
    all.push_back(&page);
  }
  for (const CLI::ConfigItem& item : items) {
    if (item.parents.empty()) {
      require_option(file, all, item.name, "option");
      continue;
    }
    const auto page = std::ranges::find(pages, item.parents.front(), &CommandPage::name);
    if (page == pages.end() || item.parents.size() > 1) {
      throw unknown_key(file, "command", fmt::format("{}", fmt::join(item.parents, ".")), commands,
                        "expected sections named after commands");
    }
    require_option(file, {&*page}, item.name, "option of clade " + page->name);
  }
}

struct Setting {
  std::string value;
  std::string file;
};

// By long flag: of several the first file, and the section of the command before what is for all.
std::map<std::string, Setting> settings_for(const CommandPage& page, const std::vector<CommandPage>& pages) {
  std::map<std::string, Setting> settings;
  for (const std::string& file : configuration_files()) {
    const std::vector<CLI::ConfigItem> items = items_of(file);
    check_items(file, items, pages);
    for (const bool is_own : {true, false}) {
      for (const CLI::ConfigItem& item : items) {
        if (item.parents.empty() == is_own || (is_own && item.parents.front() != page.name)) continue;
        if (page.find("--" + item.name) == nullptr) continue;
        settings.emplace("--" + item.name, Setting{fmt::format("{}", fmt::join(item.inputs, ",")), file});
      }
    }
  }
  return settings;
}

bool is_method_parameter(const CommandPage& page, const std::string& flag) {
  return std::ranges::any_of(page.groups, [&](const OptionGroup& group) {
    return group.place == OptionGroup::Place::kMethod &&
           std::ranges::find(group.options, flag, &OptionPage::flags) != group.options.end();
  });
}

// Does the method that will be used have this parameter?
bool fits_method(const CommandPage& page, const std::string& flag, const std::string& method) {
  if (!is_method_parameter(page, flag)) return true;
  const auto used = std::ranges::find(page.choice->methods, method, &MethodInfo::name);
  return used != page.choice->methods.end() &&
         std::ranges::find(used->parameters, flag.substr(2), &ParameterInfo::name) != used->parameters.end();
}

}  // namespace

Defaults read_defaults(const CommandPage& page, const std::vector<CommandPage>& pages, const CommandWords& given) {
  // What explains the tool must work whatever the file says.
  if (page.name == "help" || page.name == "man" || page.name == "completion") return {};
  const std::map<std::string, Setting> settings = settings_for(page, pages);
  std::string method;
  if (page.choice) {
    const auto typed = given.options.find(page.choice->flag);
    const auto set = settings.find(page.choice->flag);
    if (typed != given.options.end()) {
      method = typed->second;
    } else if (set != settings.end()) {
      method = set->second.value;
    }
  }
  Defaults defaults;
  std::map<std::string, std::string> taken;  // by file
  for (const auto& [flag, setting] : settings) {
    if (given.options.contains(flag) || !fits_method(page, flag, method)) continue;
    const bool is_flag = page.find(flag)->is_flag();
    if (is_flag && setting.value != "true" && setting.value != "false") {
      throw input_error({.file = setting.file}, fmt::format("{} = {}", flag.substr(2), setting.value),
                        "expected true or false");
    }
    if (is_flag && setting.value == "false") continue;
    defaults.words.push_back(is_flag ? flag : flag + "=" + setting.value);
    taken[setting.file] += is_flag ? " " + flag : fmt::format(" {} {}", flag, setting.value);
  }
  for (const auto& [file, words] : taken) {
    defaults.note += fmt::format("{}from {}:{}", defaults.note.empty() ? "" : "; ", file, words);
  }
  return defaults;
}

}  // namespace clade::cli
