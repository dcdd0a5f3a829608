// The commands that explain the others: help, man and completion.

#include "cli/command.h"
#include "cli/completion_script.h"
#include "cli/help_text.h"
#include "cli/man_page.h"
#include "report/json_text.h"

namespace clade::cli {
namespace {

// A command with one argument that prints a page.
class PageCommand : public Command {
 public:
  explicit PageCommand(const std::vector<CommandPage>& pages) : pages_(pages) {}
  void run(Context& /*ctx*/, const CommonOptions& common) override {
    common.json ? print_json(json_object({{"page", page()}})) : print(page());
  }

 protected:
  virtual std::string page() const = 0;
  const std::vector<CommandPage>& pages() const { return pages_; }
  std::string word_;

 private:
  const std::vector<CommandPage>& pages_;
};

class HelpCommand : public PageCommand {
 public:
  using PageCommand::PageCommand;
  std::string_view name() const override { return "help"; }
  std::string_view help() const override { return "explain a command, as its --help does"; }

  void declare(Arguments& arguments) override {
    arguments.positional("COMMAND", word_, "a command, or reading: the options for tables and raw text", false);
    arguments.examples("  clade help train\n  clade train --classifier top-down-svm --help\n  clade help reading\n");
  }

  void run(Context& ctx, const CommonOptions& common) override {
    if (!common.json || !word_.empty()) return PageCommand::run(ctx, common);
    std::vector<std::string> names;
    for (const CommandPage& page : pages()) names.push_back(page.name);
    print_json(json_object({{"commands", names}}));
  }

 protected:
  std::string page() const override {
    if (word_.empty()) return help_text(pages());
    return word_ == kSharedTopic ? shared_help_text(pages())
                                 : help_text(command_named(pages(), word_), "", HelpLength::kShort);
  }
};

class ManCommand : public PageCommand {
 public:
  using PageCommand::PageCommand;
  std::string_view name() const override { return "man"; }
  std::string_view help() const override { return "print the manual page of the tool or of a command (roff)"; }

  void declare(Arguments& arguments) override {
    arguments.positional("COMMAND", word_, "a command; without one, the tool", false);
    arguments.examples("  clade man train | man -l -\n");
  }

 protected:
  std::string page() const override {
    return word_.empty() ? man_page(pages()) : man_page(command_named(pages(), word_));
  }
};

class CompletionCommand : public PageCommand {
 public:
  using PageCommand::PageCommand;
  std::string_view name() const override { return "completion"; }
  std::string_view help() const override { return "print a script that completes commands and options in a shell"; }

  void declare(Arguments& arguments) override {
    arguments.positional("SHELL", word_, "bash, zsh or fish");
    arguments.examples(
        "  source <(clade completion bash)\n"
        "  clade completion zsh > ~/.zfunc/_clade\n"
        "  clade completion fish > ~/.config/fish/completions/clade.fish\n");
  }

 protected:
  std::string page() const override { return completion_script(word_, pages()); }
};

}  // namespace

std::unique_ptr<Command> make_help_command(const std::vector<CommandPage>& pages) {
  return std::make_unique<HelpCommand>(pages);
}
std::unique_ptr<Command> make_man_command(const std::vector<CommandPage>& pages) {
  return std::make_unique<ManCommand>(pages);
}
std::unique_ptr<Command> make_completion_command(const std::vector<CommandPage>& pages) {
  return std::make_unique<CompletionCommand>(pages);
}

}  // namespace clade::cli
