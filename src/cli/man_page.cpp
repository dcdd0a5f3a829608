#include "cli/man_page.h"

#include <clade/version.h>
#include <fmt/format.h>

#include <algorithm>

namespace clade::cli {
namespace {

// Text that roff shows as it is: backslashes, dashes that stay dashes, and no line that looks like a request.
std::string roff(std::string_view text) {
  std::string result;
  bool begins_line = true;
  for (const char c : text) {
    if (begins_line && (c == '.' || c == '\'')) result += "\\&";
    begins_line = c == '\n';
    switch (c) {
      case '\\':
        result += "\\e";
        break;
      case '-':
        result += "\\-";
        break;
      case '\'':
        result += "\\(aq";
        break;
      case '^':
        result += "\\(ha";
        break;
      case '~':
        result += "\\(ti";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::string man_title(std::string_view name, std::string_view help) {
  std::string upper(name);
  for (char& c : upper) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return fmt::format(".TH {} 1 \"\" \"Clade {}\" \"Clade\"\n.SH NAME\n{} \\- {}\n", roff(upper), CLADE_VERSION,
                     roff(name), roff(help));
}

std::string man_entry(std::string_view name, std::string_view kind, std::string_view help) {
  const std::string value = kind.empty() ? "" : fmt::format(" \\fI{}\\fR", roff(kind));
  return fmt::format(".TP\n\\fB{}\\fR{}\n{}\n", roff(name), value, roff(help));
}

std::string man_entry(const OptionPage& option) {
  std::string flags = option.flags;
  if (const std::size_t comma = flags.find(','); comma != std::string::npos) flags.insert(comma + 1, " ");
  return man_entry(flags, option.kind, option.help);
}

std::string man_section(std::string_view heading) {
  return fmt::format(".SH \"{}\"\n", roff(heading));
}

std::string methods_section(const MethodChoice& choice) {
  std::string text;
  for (const MethodInfo& method : choice.methods) {
    text += fmt::format(".SS \"{} {}\"\n{} ({}).\n", roff(choice.flag), roff(method.name), roff(method.help),
                        roff(method.source));
    for (const ParameterInfo& parameter : method.parameters) text += man_entry(option_page(parameter));
  }
  return text;
}

std::string examples_section(std::string_view examples) {
  if (examples.empty()) return "";
  std::string text = roff(examples);
  if (!text.ends_with('\n')) text += '\n';
  return man_section("EXAMPLES") + ".nf\n" + text + ".fi\n";
}

}  // namespace

std::string man_page(const std::vector<CommandPage>& pages) {
  std::string text = man_title("clade", "learning over class hierarchies");
  text += man_section("SYNOPSIS") + "\\fBclade\\fR \\fICOMMAND\\fR [\\fIARGUMENTS\\fR] [\\fIOPTIONS\\fR]\n";
  text += man_section("COMMANDS");
  for (const CommandPage& page : pages) text += man_entry("clade " + page.name, "", page.help);
  text += man_section("FILES") + man_entry("clade.toml, ~/.config/clade/clade.toml", "",
                                           "defaults of options: a section [command] has lines option = value");
  text += man_section("EXIT STATUS") + man_entry("0", "", "done") + man_entry("2", "", "wrong usage or bad input") +
          man_entry("1", "", "anything else");
  text += man_section("SEE ALSO");
  for (const CommandPage& page : pages) {
    text += fmt::format(".BR {} (1){}\n", roff("clade-" + page.name), &page == &pages.back() ? "" : ",");
  }
  return text;
}

std::string man_page(const CommandPage& page) {
  std::string text = man_title("clade-" + page.name, page.help);
  text += man_section("SYNOPSIS") + fmt::format("\\fBclade {}\\fR", roff(page.name));
  for (const PositionalPage& positional : page.positionals) {
    const std::string name = fmt::format("\\fI{}\\fR{}", positional.name, positional.repeats ? "..." : "");
    text += positional.is_required ? " " + name : fmt::format(" [{}]", name);
  }
  text += " [\\fIOPTIONS\\fR]\n";
  if (!page.positionals.empty()) text += man_section("ARGUMENTS");
  for (const PositionalPage& positional : page.positionals) text += man_entry(positional.name, "", positional.help);
  for (const OptionGroup& group : page.groups) {
    std::string heading = group.heading;
    std::ranges::transform(heading, heading.begin(),
                           [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
    text += man_section(heading);
    if (group.place == OptionGroup::Place::kMethod && page.choice) {
      text += methods_section(*page.choice);
      continue;
    }
    for (const OptionPage& option : group.options) text += man_entry(option);
  }
  return text + examples_section(page.examples) + man_section("SEE ALSO") + ".BR clade (1)\n";
}

}  // namespace clade::cli
