#include <clade/error.h>
#include <clade/plan.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/command.h"
#include "cli/read_arguments.h"
#include "cli/time_span.h"
#include "core/large_memory.h"
#include "report/plan_report.h"

namespace clade::cli {
namespace {

constexpr std::string_view kMemory = "memory";  // of some methods, too; here it is that of the plan

const MethodInfo* find(const std::vector<MethodInfo>& methods, std::string_view name) {
  const auto found = std::ranges::find(methods, name, &MethodInfo::name);
  return found == methods.end() ? nullptr : &*found;
}

// Classifiers and selectors. One that is both has the parameters of both.
std::vector<MethodInfo> all_methods() {
  std::vector<MethodInfo> methods = classifiers();
  for (MethodInfo& selector : selectors()) {
    const auto known = std::ranges::find(methods, selector.name, &MethodInfo::name);
    if (known == methods.end()) {
      methods.push_back(std::move(selector));
      continue;
    }
    for (ParameterInfo& parameter : selector.parameters) {
      if (std::ranges::find(known->parameters, parameter.name, &ParameterInfo::name) == known->parameters.end())
        known->parameters.push_back(std::move(parameter));
    }
  }
  for (MethodInfo& method : methods) {
    std::erase_if(method.parameters, [](const ParameterInfo& parameter) { return parameter.name == kMemory; });
  }
  return methods;
}

// Does the classifier ask how much memory it may use?
bool asks_for_memory(const MethodInfo& method) {
  return std::ranges::find(method.parameters, kMemory, &ParameterInfo::name) != method.parameters.end();
}

class PlanCommand : public Command {
 public:
  std::string_view name() const override { return "plan"; }
  std::string_view help() const override { return "say what training or selecting will take, before it is begun"; }

  void declare(Arguments& arguments) override {
    arguments.positional("DATA", path_, "data set to train or select on");
    arguments.option("--method", "METHOD", method_, "the classifier or selector; clade methods lists them", true);
    arguments.option("--memory", "SIZE", memory_,
                     "memory that each process may use, such as 64G (default: that of this machine)");
    arguments.option("--budget", "TIME", budget_, "try the method on parts of the samples for so long [60s]");
    arguments.option("--command", "NAME", command_, "train or select, for a method that does both");
    arguments.parameters("Planning", ParameterTable(options_));
    arguments.parameters("Parameters of the methods", {"--method", "method", all_methods()}, parameters_);
    arguments.often("--method --command --ranks --memory --budget");
    read_.declare(arguments);
    arguments.examples(
        "  clade plan train.svm --taxonomy tree.csv --method top-down-svm --ranks 16 --memory 64G\n"
        "  clade plan train.arff --method hirr-fam --iterations 50 --ranks 8 --threads 16\n"
        "  clade plan texts.jsonl --method path-svm --budget 5min --json\n");
  }

  void run(Context& ctx, const CommonOptions& common) override {
    const PlannedMethod method = planned_method();
    if (!budget_.empty()) options_.budget = seconds_of("--budget", budget_);
    const Plan found = plan(path_, reading(method), method, options_, ctx);
    if (common.json) return print_json(plan_json(found, path_, limit()));
    print(plan_text(found, path_, limit()));
  }

 private:
  double limit() const { return memory_.empty() ? available_memory() : parse_bytes(memory_, kMemory); }

  // Throws what the command that does the work would.
  PlannedMethod planned_method() const {
    method_named({"--method", "method", all_methods()}, method_);
    const std::vector<MethodInfo> trained = classifiers();
    const std::vector<MethodInfo> selecting = selectors();
    const MethodInfo* const classifier = find(trained, method_);
    const MethodInfo* const selector = find(selecting, method_);
    if (command_.empty() && classifier != nullptr && selector != nullptr) {
      throw usage_error(fmt::format("{} is a classifier and a selector", method_),
                        "expected --command train or --command select with it");
    }
    const bool selects = command_.empty() ? classifier == nullptr : command_ == "select";
    if (!command_.empty() && command_ != "train" && command_ != "select") {
      throw usage_error(fmt::format("--command: '{}'", command_), "expected train or select");
    }
    if ((selects ? selector : classifier) == nullptr) {
      throw usage_error(fmt::format("clade {} knows no method '{}'", command_, method_),
                        fmt::format("expected --command {}", selects ? "train" : "select"));
    }
    if (!selects) {
      Recipe recipe;
      recipe.classifier = method_;
      recipe.parameters = parameters_;
      // What it would take by itself on a machine with so much.
      constexpr double kOwnShare = 0.8;
      if (!memory_.empty() && asks_for_memory(*classifier))
        recipe.parameters["memory"] = std::floor(kOwnShare * limit());
      if (read_.options.missing == Missing::kMean) recipe.missing = Missing::kMean;
      check_request(recipe);
      return recipe;
    }
    SelectOptions select;
    select.method = method_;
    select.parameters = parameters_;
    check_request(select);
    return select;
  }

  // As `clade train` reads its data: a model learns the vocabulary, and what stands for missing values.
  ReadOptions reading(const PlannedMethod& method) const {
    ReadOptions options = read_.options;
    const auto* const recipe = std::get_if<Recipe>(&method);
    if (recipe == nullptr) return options;
    options.keep_words = true;
    const bool is_filled = options.missing == Missing::kMean;
    if (is_filled || (options.missing == Missing::kAuto && takes_missing_values(*recipe))) {
      options.missing = Missing::kKeep;
    }
    return options;
  }

  std::string path_;
  std::string method_;
  std::string command_;
  std::string memory_;
  std::string budget_;
  Parameters parameters_;
  PlanOptions options_;
  ReadArguments read_;
};

}  // namespace

std::unique_ptr<Command> make_plan_command() {
  return std::make_unique<PlanCommand>();
}

}  // namespace clade::cli
