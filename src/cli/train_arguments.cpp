#include "cli/train_arguments.h"

#include <clade/error.h>
#include <fmt/format.h>

#include "classify/classifier.h"
#include "cli/method_parameters.h"
#include "io/sample_weights/sample_weights.h"
#include "select/ranking_file.h"
#include "select/select.h"
#include "select/selector.h"

namespace clade::cli {
namespace {

// "a=1,b=2"
std::map<std::string, std::string> assignments(const std::string& text) {
  std::map<std::string, std::string> result;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::size_t equals = text.find('=', begin);
    if (equals >= end) {
      throw usage_error(fmt::format("--select-parameters: '{}'", text), "expected name=value[,name=value]");
    }
    result[text.substr(begin, equals - begin)] = text.substr(equals + 1, end - equals - 1);
    begin = end + 1;
  }
  return result;
}

}  // namespace

void TrainArguments::declare(Arguments& arguments) {
  arguments.option("--classifier", "METHOD", options_.classifier, "the classifier; clade train --list shows all");
  arguments.option("--features", "FILE", ranking_, "features to use at each node: a ranking from clade select");
  arguments.option("--select", "METHOD", select_, "select features with this method first, on the training data");
  arguments.option("--select-parameters", "VALUES", select_parameters_, "of --select, such as lambda=5,alpha=0.1");
  arguments.option("--top", "COUNT", top_,
                   "features of the ranking to use at each node: a number, or a share such as 10%");
  arguments.option("--sample-weights", "FILE", weights_, "the weight of each training sample, a number per line");
  arguments.parameters("Parameters of the classifiers",
                       method_parameters(classifiers(), make_classifier, options_.parameters));
}

void TrainArguments::refuse_idle() const {
  if (is_given()) return;
  const bool is_idle = !ranking_.empty() || !top_.empty() || !select_.empty() || !select_parameters_.empty() ||
                       !weights_.empty() || !options_.parameters.empty();
  if (!is_idle) return;
  const std::string name = options_.parameters.empty() ? "--features, --top, --select and --sample-weights"
                                                       : "--" + options_.parameters.begin()->first;
  throw usage_error(name + " concerns training and has no effect", "expected --classifier C with it");
}

void TrainArguments::check() const {
  if (options_.classifier.empty()) {
    throw usage_error("nothing to train", "expected --classifier C; clade train --list shows all");
  }
  make_classifier(options_.classifier);
  if (!ranking_.empty() && !select_.empty()) {
    throw usage_error("--features and --select both choose features", "expected one of them");
  }
  if (!top_.empty() && ranking_.empty() && select_.empty()) {
    throw usage_error("--top has no effect", "expected --features RANKING or --select METHOD with it");
  }
  if (!select_parameters_.empty() && select_.empty()) {
    throw usage_error("--select-parameters has no effect", "expected --select METHOD with it");
  }
  if (!select_.empty()) make_selector(select_);
}

void TrainArguments::check_append() const {
  if (!options_.classifier.empty()) {
    throw usage_error("--classifier has no effect with --append", "expected the model alone: it knows its classifier");
  }
  if (!ranking_.empty() || !top_.empty() || !select_.empty() || !select_parameters_.empty()) {
    throw usage_error("features cannot be chosen anew with --append", "expected no --features, --select or --top");
  }
  for (const auto& [name, value] : options_.parameters) {
    if (name == "epochs") continue;
    throw usage_error("--" + name + " was settled when the model was first trained", "expected --epochs at most");
  }
}

TrainOptions TrainArguments::options_for(const Dataset& data, Context& ctx) const {
  TrainOptions options = options_;
  if (!top_.empty()) options.top = parse_top(top_, data.features());
  if (!ranking_.empty()) options.ranking = read_ranking(ranking_, with_leaf_labels(data), ctx);
  if (!weights_.empty()) options.weight = read_sample_weights(weights_, data.samples(), ctx);
  return options;
}

Model TrainArguments::train_part(const Dataset& part, const std::vector<Index>& samples, TrainOptions options,
                                 Context& ctx) const {
  if (!options.weight.empty()) {
    std::vector<double> own;
    for (const Index s : samples) own.push_back(options.weight[static_cast<std::size_t>(s)]);
    options.weight = std::move(own);
  }
  return train(part, std::move(options), ctx);
}

Model TrainArguments::train(const Dataset& data, TrainOptions options, Context& ctx) const {
  if (!select_.empty()) {
    SelectOptions selection;
    selection.method = select_;
    selection.parameters = assignments(select_parameters_);
    selection.top = options.top;
    options.ranking = select_features(data, selection, ctx);
    for (const auto& note : options.ranking->notes) ctx.info(note);
  }
  return train_model(data, options, ctx);
}

}  // namespace clade::cli
