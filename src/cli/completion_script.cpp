#include "cli/completion_script.h"

#include <clade/error.h>
#include <fmt/format.h>

namespace clade::cli {
namespace {

// In single quotes, for any of the shells.
std::string shell_quoted(std::string_view text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

// The values that an option can take, if they are known: names of methods, or words.
std::vector<std::string> values_of(const OptionPage& option, const CommandPage& page) {
  if (!page.choice || option.long_flag() != page.choice->flag) return option.choices;
  std::vector<std::string> names;
  for (const MethodInfo& method : page.choice->methods) names.emplace_back(method.name);
  return names;
}

template <class Visit>
void for_each_option(const CommandPage& page, const Visit& visit) {
  for (const OptionGroup& group : page.groups) {
    for (const OptionPage& option : group.options) visit(option);
  }
}

std::string command_names(const std::vector<CommandPage>& pages) {
  std::string names;
  for (const CommandPage& page : pages) names += (names.empty() ? "" : " ") + page.name;
  return names;
}

constexpr std::string_view kBashEnd = R"(  if [[ $word == -* ]]; then
    COMPREPLY=($(compgen -W "$options --help --help-all" -- "$word"))
  else
    COMPREPLY=($(compgen -f -- "$word"))
  fi
}
complete -o filenames -F _clade clade
)";

std::string bash_script(const std::vector<CommandPage>& pages) {
  std::string text = "# bash completion for clade; made by clade completion bash\n_clade() {\n";
  text += "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} options=\n";
  text += "  COMPREPLY=()\n  if ((COMP_CWORD == 1)); then\n";
  text += fmt::format("    COMPREPLY=($(compgen -W '{} --help --version' -- \"$word\"))\n    return\n  fi\n",
                      command_names(pages));
  text += "  case ${COMP_WORDS[1]}:$before in\n";
  for (const CommandPage& page : pages) {
    for_each_option(page, [&](const OptionPage& option) {
      const std::vector<std::string> values = values_of(option, page);
      if (values.empty()) return;
      text += fmt::format("    {}:{}) COMPREPLY=($(compgen -W '{}' -- \"$word\")); return ;;\n", page.name,
                          option.long_flag(), fmt::join(values, " "));
    });
  }
  text += fmt::format("    help:help|man:man) COMPREPLY=($(compgen -W '{}' -- \"$word\")); return ;;\n",
                      command_names(pages));
  text += "    completion:completion) COMPREPLY=($(compgen -W 'bash zsh fish' -- \"$word\")); return ;;\n  esac\n";
  text += "  case ${COMP_WORDS[1]} in\n";
  for (const CommandPage& page : pages) {
    std::string flags;
    for_each_option(page, [&](const OptionPage& o) { flags += (flags.empty() ? "" : " ") + o.long_flag(); });
    text += fmt::format("    {}) options='{}' ;;\n", page.name, flags);
  }
  return text + "  esac\n" + std::string(kBashEnd);
}

// zsh's _arguments reads brackets and colons as its own.
std::string zsh_text(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') result += '\\';
    result += c;
  }
  return result;
}

std::string zsh_script(const std::vector<CommandPage>& pages) {
  std::string text = "#compdef clade\n# zsh completion for clade; made by clade completion zsh\n_clade() {\n";
  text += "  local -a commands=(\n";
  for (const CommandPage& page : pages) {
    text += fmt::format("    {}\n", shell_quoted(fmt::format("{}:{}", page.name, page.help)));
  }
  text += "  )\n  if ((CURRENT == 2)); then\n    _describe command commands\n    return\n  fi\n";
  text += "  case $words[2] in\n";
  for (const CommandPage& page : pages) {
    text += fmt::format("    {})\n      _arguments \\\n", page.name);
    for_each_option(page, [&](const OptionPage& option) {
      const std::vector<std::string> values = values_of(option, page);
      std::string spec = fmt::format("{}[{}]", option.long_flag(), zsh_text(option.help));
      if (!option.is_flag()) {
        spec += fmt::format(":{}:", option.kind);
        spec += values.empty() ? "_files" : fmt::format("({})", fmt::join(values, " "));
      }
      text += fmt::format("        {} \\\n", shell_quoted(spec));
    });
    text += "        '*:file:_files' ;;\n";
  }
  return text +
         "  esac\n}\n# Loaded from the path of functions, or sourced.\n"
         "if [[ $funcstack[1] == _clade ]]; then _clade \"$@\"; else compdef _clade clade; fi\n";
}

std::string fish_script(const std::vector<CommandPage>& pages) {
  std::string text = "# fish completion for clade; made by clade completion fish\n";
  for (const CommandPage& page : pages) {
    text +=
        fmt::format("complete -c clade -n __fish_use_subcommand -f -a {} -d {}\n", page.name, shell_quoted(page.help));
  }
  for (const CommandPage& page : pages) {
    for_each_option(page, [&](const OptionPage& option) {
      const std::vector<std::string> values = values_of(option, page);
      text += fmt::format("complete -c clade -n '__fish_seen_subcommand_from {}' -l {}", page.name,
                          option.long_flag().substr(2));
      if (const std::string letter = option.short_flag(); !letter.empty()) text += " -s " + letter.substr(1);
      if (!option.is_flag()) text += values.empty() ? " -r" : fmt::format(" -x -a '{}'", fmt::join(values, " "));
      text += fmt::format(" -d {}\n", shell_quoted(option.help));
    });
  }
  return text;
}

}  // namespace

std::string completion_script(std::string_view shell, const std::vector<CommandPage>& pages) {
  if (shell == "bash") return bash_script(pages);
  if (shell == "zsh") return zsh_script(pages);
  if (shell == "fish") return fish_script(pages);
  throw usage_error(fmt::format("no completion for '{}'", shell), "expected bash, zsh or fish");
}

}  // namespace clade::cli
