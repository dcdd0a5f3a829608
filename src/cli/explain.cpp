#include <clade/explain.h>
#include <clade/model.h>

#include "cli/command.h"
#include "report/explanation_text.h"

namespace clade::cli {
namespace {

class ExplainCommand : public Command {
 public:
  std::string_view name() const override { return "explain"; }
  std::string_view help() const override {
    return "show which features, or training samples, speak for a class of a model, and against it";
  }

  void declare(Arguments& arguments) override {
    arguments.positional("MODEL", model_, "a model from clade train");
    arguments.option("--class", "NAME", class_, "the class, or any node of the hierarchy", true);
    arguments.parameters("Showing", ParameterTable(shown_));
    arguments.examples(
        "  clade explain model.clade --class mammal/cat\n"
        "  clade explain model.clade --class mammal --top 50 --json\n");
  }

  void run(Context&, const CommonOptions& common) override {
    const Model model = read_model(model_);
    const auto node = model.taxonomy().find(class_);
    if (!node) throw usage_error("--class: the model has no '" + class_ + "'", "expected a node of its hierarchy");
    const std::vector<TellingFeatures> found = telling_features(model, *node, shown_.top);
    if (common.json) return print_json(telling_features_json(model, *node, found));
    print(telling_features_text(model, *node, found));
  }

 private:
  struct Shown {
    Index top = 20;

    friend void describe(ParameterTable& v, Shown& o) {
      v("top", o.top, at_least(1), "number of features, or training samples of a model with a kernel, for and against");
    }
  };

  std::string model_;
  std::string class_;
  Shown shown_;
};

}  // namespace

std::unique_ptr<Command> make_explain_command() {
  return std::make_unique<ExplainCommand>();
}

}  // namespace clade::cli
