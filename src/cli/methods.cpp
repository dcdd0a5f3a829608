#include <clade/feature_tree.h>
#include <clade/learn.h>
#include <clade/select.h>
#include <clade/train.h>

#include "cli/command.h"
#include "report/bibliography.h"
#include "report/parameter_tables.h"

namespace clade::cli {
namespace {

class MethodsCommand : public Command {
 public:
  std::string_view name() const override { return "methods"; }
  std::string_view help() const override { return "list every method with its parameters, or with its sources"; }

  void declare(Arguments& arguments) override {
    arguments.positional("NAME", names_, "with --cite or --bibtex: only these methods, measures or tests", false);
    arguments.flag("--cite", cite_, "the publications behind the methods, measures and tests");
    arguments.flag("--bibtex", bibtex_, "the same as BibTeX");
    arguments.examples(
        "  clade methods\n"
        "  clade methods --json\n"
        "  clade methods --cite hier-fs path-svm\n"
        "  clade methods --bibtex >clade.bib\n");
  }

  void run(Context& /*ctx*/, const CommonOptions& common) override {
    const MethodFamily families[] = {
        {"selectors (clade select --method)", "selectors", selectors()},
        {"classifiers (clade train --classifier)", "classifiers", classifiers()},
        {"taxonomy learners (clade learn-taxonomy --method)", "taxonomy_learners", taxonomy_learners()},
        {"feature trees (clade feature-tree --method)", "feature_trees", feature_tree_methods()},
    };
    if (cite_ || bibtex_) return print_sources(families, common);
    if (!names_.empty()) throw usage_error("names go with --cite or --bibtex", "expected clade methods --cite NAME");
    if (common.json) return print_json(methods_json(families));
    print(with_flags(methods_text(families, "--")));
  }

 private:
  void print_sources(std::span<const MethodFamily> families, const CommonOptions& common) const {
    if (bibtex_ && common.json) throw usage_error("--bibtex and --json", "expected one of them");
    const std::vector<CitedPart> parts = cited_parts(families, names_);
    if (common.json) return print_json(citations_json(parts));
    print(bibtex_ ? citations_bibtex(parts) : citations_text(parts, !names_.empty()));
  }

  std::vector<std::string> names_;
  bool cite_ = false;
  bool bibtex_ = false;
};

}  // namespace

std::unique_ptr<Command> make_methods_command() {
  return std::make_unique<MethodsCommand>();
}

}  // namespace clade::cli
