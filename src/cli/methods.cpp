#include <clade/evaluate.h>
#include <clade/feature_tree.h>
#include <clade/learn.h>
#include <clade/select.h>
#include <clade/train.h>
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "report/parameter_tables.h"

namespace clade::cli {
namespace {

nlohmann::json measures_json() {
  nlohmann::json list = nlohmann::json::array();
  for (const MeasureInfo& measure : measures()) {
    list.push_back({{"name", measure.name},
                    {"help", measure.help},
                    {"better", measure.higher_is_better ? "higher" : "lower"},
                    {"parameters", nlohmann::json::array()}});
  }
  return list;
}

std::string measures_text() {
  std::string text;
  for (const MeasureInfo& measure : measures()) {
    text += fmt::format("{:12} {} ({} is better)\n", measure.name, measure.help,
                        measure.higher_is_better ? "higher" : "lower");
  }
  return text;
}

class MethodsCommand : public Command {
 public:
  std::string_view name() const override { return "methods"; }
  std::string_view help() const override { return "list every method with its parameters"; }

  void declare(Arguments& arguments) override { arguments.examples("  clade methods\n  clade methods --json\n"); }

  void run(Context& /*ctx*/, const CommonOptions& common) override {
    const struct {
      const char* title;
      const char* key;
      std::vector<MethodInfo> methods;
    } families[] = {
        {"selectors (clade select --method)", "selectors", selectors()},
        {"classifiers (clade train --classifier)", "classifiers", classifiers()},
        {"taxonomy learners (clade learn-taxonomy --method)", "taxonomy_learners", taxonomy_learners()},
        {"feature trees (clade feature-tree --method)", "feature_trees", feature_tree_methods()},
    };
    nlohmann::json document = nlohmann::json::object();
    std::string text;
    for (const auto& family : families) {
      document[family.key] = methods_json(family.methods);
      text += fmt::format("{}\n\n{}\n", family.title, methods_text(family.methods, "--"));
    }
    document["metrics"] = measures_json();
    if (common.json) return print_json(document);
    print(with_flags(text + "measures (clade evaluate)\n\n" + measures_text()));
  }
};

}  // namespace

std::unique_ptr<Command> make_methods_command() {
  return std::make_unique<MethodsCommand>();
}

}  // namespace clade::cli
