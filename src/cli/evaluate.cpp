#include <clade/clustering.h>
#include <clade/evaluate.h>
#include <clade/io.h>
#include <clade/predictions.h>
#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/read_arguments.h"
#include "evaluate/evaluate_parameters.h"
#include "io/folds/folds.h"
#include "report/evaluation_report.h"

namespace clade::cli {
namespace {

class EvaluateCommand : public Command {
 public:
  std::string_view name() const override { return "evaluate"; }
  std::string_view help() const override {
    return "measure predictions, or clusters, against the labels of a data set";
  }

  void declare(Arguments& arguments) override {
    arguments.positional("DATA", path_, "data set with the true labels");
    arguments.option("--predictions", "FILE", predictions_, "predictions to measure: CSV with sample,rank,label,score");
    arguments.option("--clusters", "FILE", clusters_, "clusters to measure: CSV with sample,cluster");
    arguments.option("--fold-file", "FILE", folds_,
                     "the fold of each sample, a line each: measures are means over folds");
    arguments.flag("--breakdown", breakdown_, "also precision, recall and support of every node");
    arguments.parameters("Measures", ParameterTable(options_));
    read_.declare(arguments);
    arguments.examples(
        "  clade evaluate --predictions predictions.csv test.arff\n"
        "  clade evaluate --predictions predictions.csv test.svm --taxonomy tree.csv --bootstrap\n"
        "  clade evaluate --predictions predictions.csv test.svm --json --breakdown\n"
        "  clade evaluate --predictions predictions.csv DD_test.mat --protocol published --fold-file folds.csv\n"
        "  clade evaluate --clusters clusters.csv documents.npz\n");
  }

  void run(Context& ctx, const CommonOptions& common) override {
    if (predictions_.empty() == clusters_.empty()) {
      throw usage_error("nothing to measure", "expected either --predictions FILE or --clusters FILE");
    }
    refuse_idle_options();
    const LoadedData loaded = read_dataset(path_, read_.options, ctx);
    for (const auto& note : loaded.report.notes) ctx.info(note);
    if (!clusters_.empty()) return measure_clusters(loaded.data, ctx, common);
    const Predictions predictions = read_predictions(predictions_, loaded.data, ctx);
    std::vector<Index> folds;
    if (!folds_.empty()) folds = read_folds(folds_, loaded.data.samples(), ctx);
    const Evaluation evaluation = evaluate(loaded.data, predictions, options_, folds, ctx);
    for (const auto& note : evaluation.notes) ctx.info(note);
    const Taxonomy& taxonomy = loaded.data.taxonomy();
    if (common.json) return print_json(evaluation_json(evaluation, taxonomy, breakdown_));
    print(fmt::format("{} against {}: {} samples\n\n", predictions_, path_, evaluation.samples) +
          evaluation_text(evaluation, taxonomy, options_, breakdown_));
  }

 private:
  // An option that would have no effect is a misunderstanding.
  void refuse_idle_options() const {
    if (!clusters_.empty() && (!folds_.empty() || breakdown_ || options_.bootstrap)) {
      throw usage_error("--fold-file, --breakdown and --bootstrap do not concern --clusters",
                        "expected them with --predictions");
    }
    if (options_.top_k != 1 && options_.label_set != LabelSet::kTopK) {
      throw usage_error("--top-k has no effect", "expected --label-set top-k with it");
    }
    if (options_.threshold != 0 && options_.label_set != LabelSet::kThreshold) {
      throw usage_error("--threshold has no effect", "expected --label-set threshold with it");
    }
    if (options_.protocol == Protocol::kPublished && options_.average == Average::kMacro) {
      throw usage_error("--protocol published averages over samples", "expected no --average macro with it");
    }
  }

  void measure_clusters(const Dataset& data, Context& ctx, const CommonOptions& common) const {
    const std::vector<Index> clusters = read_clusters(clusters_, data, ctx);
    std::vector<Index> classes;
    for (Index s = 0; s < data.samples(); ++s) {
      if (data.labels(s).size() != 1) {
        throw input_error({.file = path_},
                          fmt::format("sample {} has {} labels", data.sample_name(s), data.labels(s).size()),
                          "expected one label per sample to compare clusters with");
      }
      classes.push_back(data.labels(s)[0]);
    }
    const double accuracy = clustering_accuracy(classes, clusters);
    const double information = normalized_mutual_information(classes, clusters);
    if (common.json) {
      return print_json({{"samples", data.samples()}, {"clustering_accuracy", accuracy}, {"nmi", information}});
    }
    print(fmt::format("{} against {}: {} samples\n\n  clustering_accuracy  {:.4f}\n  nmi                  {:.4f}\n",
                      clusters_, path_, data.samples(), accuracy, information));
  }

  std::string path_;
  std::string predictions_;
  std::string clusters_;
  std::string folds_;
  bool breakdown_ = false;
  EvaluateOptions options_;
  ReadArguments read_{Missing::kKeep};
};

}  // namespace

std::unique_ptr<Command> make_evaluate_command() {
  return std::make_unique<EvaluateCommand>();
}

}  // namespace clade::cli
