#include <clade/feature_tree.h>
#include <clade/learn.h>
#include <clade/select.h>
#include <clade/train.h>

#include "cli/command.h"
#include "report/parameter_tables.h"

namespace clade::cli {
namespace {

class MethodsCommand : public Command {
 public:
  std::string_view name() const override { return "methods"; }
  std::string_view help() const override { return "list every method with its parameters"; }

  void declare(Arguments& arguments) override { arguments.examples("  clade methods\n  clade methods --json\n"); }

  void run(Context& /*ctx*/, const CommonOptions& common) override {
    const MethodFamily families[] = {
        {"selectors (clade select --method)", "selectors", selectors()},
        {"classifiers (clade train --classifier)", "classifiers", classifiers()},
        {"taxonomy learners (clade learn-taxonomy --method)", "taxonomy_learners", taxonomy_learners()},
        {"feature trees (clade feature-tree --method)", "feature_trees", feature_tree_methods()},
    };
    if (common.json) return print_json(methods_json(families));
    print(with_flags(methods_text(families, "--")));
  }
};

}  // namespace

std::unique_ptr<Command> make_methods_command() {
  return std::make_unique<MethodsCommand>();
}

}  // namespace clade::cli
