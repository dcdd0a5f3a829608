#include <clade/clustering.h>
#include <clade/evaluate.h>
#include <clade/io.h>
#include <clade/predictions.h>
#include <clade/split.h>
#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "classify/apply.h"
#include "classify/cross_validate.h"
#include "cli/command.h"
#include "cli/read_arguments.h"
#include "cli/train_arguments.h"
#include "evaluate/evaluate_parameters.h"
#include "io/folds/folds.h"
#include "model/model_file.h"
#include "report/evaluation_report.h"

namespace clade::cli {
namespace {

class EvaluateCommand : public Command {
 public:
  std::string_view name() const override { return "evaluate"; }
  std::string_view help() const override {
    return "measure a model, predictions, or clusters against the labels of a data set";
  }

  void declare(Arguments& arguments) override {
    arguments.positional("INPUT", first_, "the data set with the true labels, or a model and then the data set");
    arguments.positional("DATA", second_, "the data set, where INPUT is a model", false);
    arguments.option("--predictions", "FILE", predictions_, "predictions to measure: CSV with sample,rank,label,score");
    arguments.option("--clusters", "FILE", clusters_, "clusters to measure: CSV with sample,cluster");
    arguments.option("--fold-file", "FILE", folds_,
                     "the fold of each sample, a line each: measures are means over folds");
    arguments.flag("--breakdown", breakdown_, "also precision, recall and support of every node");
    arguments.parameters("Measures", ParameterTable(options_));
    arguments.parameters("Models and cross-validation", ParameterTable(validation_));
    arguments.flag("--align-features", align_, "find the model's features in the data by name");
    train_.declare(arguments);
    read_.declare(arguments);
    arguments.examples(
        "  clade evaluate model.clade test.arff\n"
        "  clade evaluate --predictions predictions.csv test.arff\n"
        "  clade evaluate train.arff --classifier top-down-logistic --folds 10\n"
        "  clade evaluate DDTest.mat --classifier top-down-svm --multiclass one-vs-one --scale none \\\n"
        "      --features ranking.json --top 40 --fold-file folds.csv --protocol published\n"
        "  clade evaluate --predictions predictions.csv test.svm --taxonomy tree.csv --bootstrap\n"
        "  clade evaluate --predictions predictions.csv test.svm --json --breakdown\n"
        "  clade evaluate --predictions predictions.csv DD_test.mat --protocol published --fold-file folds.csv\n"
        "  clade evaluate --clusters clusters.csv documents.npz\n");
  }

  void run(Context& ctx, const CommonOptions& common) override {
    const bool is_model = !second_.empty();
    const int sources =
        (is_model ? 1 : 0) + (predictions_.empty() ? 0 : 1) + (clusters_.empty() ? 0 : 1) + (train_.is_given() ? 1 : 0);
    if (sources != 1) {
      throw usage_error(
          sources == 0 ? "nothing to measure" : "several things to measure",
          "expected MODEL DATA, or DATA with one of --predictions FILE, --clusters FILE and --classifier C");
    }
    refuse_idle_options();
    train_.refuse_idle();
    path_ = is_model ? second_ : first_;
    if (is_model) return measure_model(ctx, common);
    if (train_.is_given()) train_.check();
    const LoadedData loaded = read(ctx);
    if (!clusters_.empty()) return measure_clusters(loaded.data, ctx, common);
    std::vector<Index> folds;
    if (!folds_.empty()) folds = read_folds(folds_, loaded.data.samples(), ctx);
    if (train_.is_given()) return measure_classifier(loaded.data, std::move(folds), ctx, common);
    show(read_predictions(predictions_, loaded.data, ctx), loaded.data, folds, predictions_, ctx, common);
  }

 private:
  struct ValidationOptions {
    PredictOptions predict;
    int folds = 0;

    template <class V>
    friend void describe(V& v, ValidationOptions& o) {
      v("folds", o.folds, between(0, 100000), "cross-validate --classifier over so many stratified folds");
      describe_policy(v, o.predict);
    }
  };

  LoadedData read(Context& ctx) const {
    LoadedData loaded = read_dataset(path_, read_.options, ctx);
    for (const auto& note : loaded.report.notes) ctx.info(note);
    return loaded;
  }

  void show(const Predictions& predictions, const Dataset& data, const std::vector<Index>& folds,
            const std::string& what, Context& ctx, const CommonOptions& common) const {
    const Evaluation evaluation = evaluate(data, predictions, options_, folds, ctx);
    for (const auto& note : evaluation.notes) ctx.info(note);
    if (common.json) return print_json(evaluation_json(evaluation, data.taxonomy(), breakdown_));
    print(fmt::format("{} against {}: {} samples\n\n", what, path_, evaluation.samples) +
          evaluation_text(evaluation, data.taxonomy(), options_, breakdown_));
  }

  void measure_model(Context& ctx, const CommonOptions& common) {
    const Model model = read_model(first_);
    read_.options.vectorizer = model.vectorizer;
    const LoadedData loaded = read(ctx);
    const Dataset data = with_model_labels(with_model_features(loaded.data, model, align_), model, ctx);
    std::vector<Index> folds;
    if (!folds_.empty()) folds = read_folds(folds_, data.samples(), ctx);
    rank_all(data);
    if (options_.label_set == LabelSet::kAuto && !model.threshold.empty()) options_.label_set = LabelSet::kThreshold;
    show(predict(model, data, validation_.predict, ctx), data, folds, first_, ctx, common);
  }

  // Joint models rank all classes, which some measures need, if that is not too much to hold.
  void rank_all(const Dataset& data) {
    constexpr Index kMostRanked = 100'000'000;
    validation_.predict.is_ranked = data.samples() * std::ssize(data.taxonomy().leaves()) <= kMostRanked;
  }

  // Every sample by a model that has not seen it; measures are means over the folds.
  void measure_classifier(const Dataset& data, std::vector<Index> folds, Context& ctx, const CommonOptions& common) {
    if (folds.empty() == (validation_.folds == 0)) {
      throw usage_error("--classifier is measured by cross-validation",
                        "expected either --folds N or --fold-file FILE");
    }
    if (folds.empty()) {
      const std::vector<int> dealt = stratified_folds(data, validation_.folds, ctx.seed());
      folds.assign(dealt.begin(), dealt.end());
    }
    const TrainOptions options = train_.options_for(data, ctx);
    rank_all(data);
    bool has_threshold = false;
    const Predictions predictions = cross_validate(
        data, folds, validation_.predict,
        [&](const Dataset& part, const std::vector<Index>& samples) {
          Model model = train_.train_part(part, samples, options, ctx);
          has_threshold = has_threshold || !model.threshold.empty();
          return model;
        },
        ctx);
    if (options_.label_set == LabelSet::kAuto && has_threshold) options_.label_set = LabelSet::kThreshold;
    show(predictions, data, folds, "cross-validation", ctx, common);
  }

  // An option that would have no effect is a misunderstanding.
  void refuse_idle_options() const {
    if (!clusters_.empty() && (!folds_.empty() || breakdown_ || options_.bootstrap)) {
      throw usage_error("--fold-file, --breakdown and --bootstrap do not concern --clusters",
                        "expected them with --predictions");
    }
    if (validation_.folds > 0 && !train_.is_given()) {
      throw usage_error("--folds has no effect", "expected --classifier C with it");
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

  std::string first_;
  std::string second_;
  std::string path_;  // of the data
  std::string predictions_;
  std::string clusters_;
  std::string folds_;
  bool breakdown_ = false;
  bool align_ = false;
  EvaluateOptions options_;
  ValidationOptions validation_;
  TrainArguments train_;
  ReadArguments read_{Missing::kKeep};
};

}  // namespace

std::unique_ptr<Command> make_evaluate_command() {
  return std::make_unique<EvaluateCommand>();
}

}  // namespace clade::cli
