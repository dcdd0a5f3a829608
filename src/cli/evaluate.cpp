#include <clade/cluster.h>
#include <clade/conformal.h>
#include <clade/evaluate.h>
#include <clade/io.h>
#include <clade/pipeline.h>
#include <clade/predictions.h>
#include <clade/split.h>
#include <clade/team.h>
#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "cli/command.h"
#include "cli/coverage_arguments.h"
#include "cli/read_arguments.h"
#include "cli/team_arguments.h"
#include "cli/train_arguments.h"
#include "report/covering_report.h"
#include "report/evaluation_report.h"
#include "report/json_text.h"
#include "report/precision_recall_picture.h"

namespace clade::cli {
namespace {

class EvaluateCommand : public Command {
 public:
  std::string_view name() const override { return "evaluate"; }
  std::string_view help() const override {
    return "measure a model, predictions, or clusters against the labels of a data set";
  }

  // Predictions of a model are shared; else the leader does the work.
  bool is_shared() const override { return !second_.empty(); }

  void declare(Arguments& arguments) override {
    arguments.positional("INPUT", first_, "the data set with the true labels, or a model and then the data set");
    arguments.positional("DATA", second_, "the data set, where INPUT is a model", false);
    arguments.option("--predictions", "FILE", predictions_, "predictions to measure: CSV with sample,rank,label,score");
    arguments.flag("--only-predicted", only_predicted_,
                   "with --predictions: measure the samples that it has, and leave the others out");
    arguments.option("--clusters", "FILE", clusters_, "clusters to measure: CSV with sample,cluster");
    arguments.option("--fold-file", "FILE", folds_,
                     "file with the fold of each sample, one per line; measures are then means over the folds");
    arguments.flag("--breakdown", breakdown_, "also show precision, recall and support of every node");
    arguments.output("--curve", "FILE", curve_,
                     "write the precision-recall curve over all nodes: .csv with threshold,recall,precision, or .svg");
    arguments.flag("--force", force_, "overwrite the file of --curve if it exists");
    covering_.declare(arguments);
    arguments.parameters("Measures", ParameterTable(options_));
    arguments.parameters("Models and cross-validation", ParameterTable(validation_));
    arguments.often("--predictions --classifier --folds --breakdown --bootstrap --confusions --coverage");
    train_.declare(arguments);
    team_.declare(arguments);
    read_.declare(arguments);
    arguments.examples(
        "  clade evaluate model.clade test.arff\n"
        "  clade evaluate --predictions predictions.csv test.arff\n"
        "  clade evaluate train.arff --classifier top-down-logistic --folds 10\n"
        "  clade evaluate model.clade test.arff --coverage 0.9 --set-size 3\n"
        "  clade evaluate model.clade test.arff --exclude-nodes GO0003674,GO0005575,GO0008150 --curve curve.svg\n"
        "  clade evaluate DDTest.mat --classifier top-down-svm --multiclass one-vs-one --scale none \\\n"
        "      --features ranking.json --top 40 --fold-file folds.csv --protocol published\n"
        "  clade evaluate --predictions predictions.csv test.svm --taxonomy tree.csv --bootstrap\n"
        "  clade evaluate --predictions predictions.csv test.svm --json --breakdown\n"
        "  clade evaluate --predictions predictions.csv DD_test.mat --protocol published --fold-file folds.csv\n"
        "  mpirun -np 8 clade evaluate model.clade parts/ --work finished/\n"
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
    if (covering_.options() && !is_model) {
      throw usage_error("--coverage concerns models", "expected MODEL DATA with it");
    }
    if (team_.is_given() && !is_model) {
      throw usage_error("--work and --resume keep the predictions of models", "expected MODEL DATA with them");
    }
    check_curve(leads(ctx));
    train_.refuse_idle();
    path_ = is_model ? second_ : first_;
    if (is_model) return measure_model(ctx, common);
    if (train_.is_given()) {
      require_folds();
      train_.check();
    }
    const LoadedData loaded = read(train_.is_given() ? train_.reading(read_.options) : read_.options, ctx);
    if (!clusters_.empty()) return measure_clusters(loaded.data, ctx, common);
    if (train_.is_given()) return measure_classifier(loaded.data, ctx, common);
    measure_predictions(loaded.data, ctx, common);
  }

 private:
  struct ValidationOptions {
    PredictOptions predict;
    int folds = 0;

    friend void describe(ParameterTable& v, ValidationOptions& o) {
      v("folds", o.folds, between(0, 100000), "cross-validate --classifier with this many stratified folds");
      describe_policy(v, o.predict);
    }
  };

  LoadedData read(const ReadOptions& options, Context& ctx) const {
    LoadedData loaded = timed(ctx, "reading", [&] { return read_dataset(path_, options, ctx); });
    for (const auto& note : loaded.report.notes) ctx.info(note);
    return loaded;
  }

  void show(Evaluation evaluation, const Taxonomy& taxonomy, const std::string& what, Context& ctx,
            const CommonOptions& common, const std::optional<CoverageEvaluation>& covering = {}) const {
    evaluation.notes = with_flags(std::move(evaluation.notes));
    for (const auto& note : evaluation.notes) ctx.info(note);
    write_curve(evaluation);
    if (common.json) return print_json(evaluation_json(evaluation, taxonomy, breakdown_, covering));
    print(fmt::format("{} against {}: {} samples\n\n", what, path_, evaluation.samples) +
          evaluation_text(evaluation, taxonomy, options_, breakdown_) + (covering ? covering_text(*covering) : ""));
  }

  std::vector<Index> given_folds(const Dataset& data, Context& ctx) const {
    return folds_.empty() ? std::vector<Index>() : read_folds(folds_, data.samples(), ctx);
  }

  void measure_model(Context& ctx, const CommonOptions& common) {
    const Model model = read_model(first_);
    const LoadedData loaded = read(reading_for(model, read_.options), ctx);
    team_.begin(loaded.data, {first_, folds_}, common, ctx);
    const Evaluation evaluation =
        evaluate(model, loaded.data, options_, validation_.predict, given_folds(loaded.data, ctx), ctx);
    if (!leads(ctx)) return;
    std::optional<CoverageEvaluation> covering;
    if (auto asked = covering_.options()) {
      asked->align_features = validation_.predict.align_features;
      covering = evaluate_coverage(model, loaded.data, *asked, ctx);
      for (const auto& note : with_flags(covering->notes)) ctx.info(note);
    }
    show(evaluation, *evaluation.taxonomy, first_, ctx, common, covering);
  }

  // Predictions in place of the data: their ranks and scores would pass for features, their labels for the truth.
  void refuse_swapped(const Dataset& data) const {
    constexpr std::size_t kMostColumns = 6;  // of predictions; the words of texts may be anything
    const auto names = data.feature_names();
    if (names.size() > kMostColumns) return;
    const auto has = [&](std::string_view name) { return std::ranges::find(names, name) != names.end(); };
    if (!has("score") || !(has("rank") || names.size() == 1)) return;
    throw usage_error(fmt::format("{} looks like predictions: it has a column of scores", path_),
                      "expected the data with the true labels there, and the predictions after --predictions");
  }

  void measure_predictions(const Dataset& data, Context& ctx, const CommonOptions& common) const {
    refuse_swapped(data);
    std::vector<Index> folds = given_folds(data, ctx);
    if (!only_predicted_) return measure_predictions_of(data, folds, ctx, common);
    const std::vector<Index> samples = predicted_samples(predictions_, data, ctx);
    std::vector<Index> own_folds;
    for (const Index s : samples) {
      if (!folds.empty()) own_folds.push_back(folds[static_cast<std::size_t>(s)]);
    }
    if (std::ssize(samples) < data.samples()) {
      ctx.info(fmt::format("samples without a prediction, left out: {}", data.samples() - std::ssize(samples)));
    }
    measure_predictions_of(data.subset(samples), own_folds, ctx, common);
  }

  void measure_predictions_of(const Dataset& data, const std::vector<Index>& folds, Context& ctx,
                              const CommonOptions& common) const {
    const Predictions predictions = read_predictions(predictions_, data, ctx);
    show(evaluate(data, predictions, options_, folds, ctx), data.taxonomy(), predictions_, ctx, common);
  }

  // Every sample is predicted by a model that has not seen it; measures are means over the folds.
  void measure_classifier(const Dataset& data, Context& ctx, const CommonOptions& common) {
    std::vector<Index> folds = given_folds(data, ctx);
    if (folds_.empty()) {
      const std::vector<int> dealt = stratified_folds(data, validation_.folds, ctx.seed());
      folds.assign(dealt.begin(), dealt.end());
    }
    show(evaluate(data, train_.recipe_for(data, ctx), folds, train_.weights_for(data, ctx), options_,
                  validation_.predict, ctx),
         data.taxonomy(), "cross-validation", ctx, common);
  }

  bool scores_nodes() const { return !second_.empty() || train_.is_given(); }

  void check_curve(bool leads) {
    if (curve_.empty()) {
      if (force_) throw usage_error("--force has no effect", "expected --curve FILE with it");
      return;
    }
    if (!scores_nodes() || options_.node_measures == NodeMeasures::kNo) {
      throw usage_error("--curve needs scores of all nodes",
                        "expected a model or --classifier C, without --node-measures no");
    }
    if (!curve_.ends_with(".csv") && !curve_.ends_with(".svg")) {
      throw usage_error(fmt::format("--curve {}", curve_), "expected a file that ends in .csv or .svg");
    }
    if (leads) check_output(curve_, force_, read_.inputs({first_, second_}));
    constexpr Index kPoints = 2000;
    options_.curve_points = kPoints;
    options_.node_measures = NodeMeasures::kYes;
  }

  void write_curve(const Evaluation& evaluation) const {
    if (curve_.empty()) return;
    if (evaluation.curve.empty()) {
      throw usage_error("--curve: no sample has a label at a node that counts", "expected some");
    }
    write_text_file(curve_.ends_with(".csv")
                        ? precision_recall_csv(evaluation.curve)
                        : precision_recall_svg(evaluation.curve, *evaluation.value("au_prc"), "all nodes"),
                    curve_, force_);
  }

  void require_folds() const {
    if (folds_.empty() != (validation_.folds == 0)) return;
    throw usage_error("--classifier is measured by cross-validation", "expected either --folds N or --fold-file FILE");
  }

  // Refuses options that would have no effect: they are a misunderstanding.
  void refuse_idle_options() const {
    if (only_predicted_ && predictions_.empty()) {
      throw usage_error("--only-predicted has no effect", "expected --predictions FILE with it");
    }
    if (!clusters_.empty() && (!folds_.empty() || breakdown_ || options_.bootstrap)) {
      throw usage_error("--fold-file, --breakdown and --bootstrap do not concern --clusters",
                        "expected them with --predictions");
    }
    if (!clusters_.empty()) {
      refuse_changed(options_, EvaluateOptions{}, "has no effect on the measures of clusters",
                     "expected --predictions with it");
    }
    if (!scores_nodes()) {
      refuse_changed(validation_, ValidationOptions{.predict = {}, .folds = validation_.folds},
                     "concerns models and has no effect", "expected a model or --classifier C with it");
    } else if (train_.is_given() && validation_.predict.align_features) {
      throw usage_error("--align-features has no effect: training and test samples are of one file",
                        "expected a model with it");
    }
    if (!options_.bootstrap) {
      EvaluateOptions given = options_;
      given.resamples = EvaluateOptions{}.resamples;
      given.confidence = EvaluateOptions{}.confidence;
      refuse_changed(options_, given, "has no effect", "expected --bootstrap with it");
    }
    if (!scores_nodes() && (!options_.exclude_nodes.empty() || options_.node_measures == NodeMeasures::kYes)) {
      throw usage_error("--exclude-nodes and --node-measures concern scores of all nodes",
                        "expected a model or --classifier C with them");
    }
    if (options_.fold_average != FoldAverage::kEqual && folds_.empty() && validation_.folds == 0) {
      throw usage_error("--fold-average has no effect", "expected --folds N or --fold-file FILE with it");
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

  // Throws if a parameter has another value than `usual`.
  template <class Options>
  static void refuse_changed(Options given, Options usual, std::string_view problem, std::string_view expected) {
    const ParameterTable table(given);
    const ParameterTable untouched(usual);
    for (std::size_t k = 0; k < table.parameters().size(); ++k) {
      if (table.parameters()[k].get() == untouched.parameters()[k].get()) continue;
      throw usage_error(fmt::format("--{} {}", table.parameters()[k].name, problem), expected);
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
      return print_json(
          json_object({{"samples", data.samples()}, {"clustering_accuracy", accuracy}, {"nmi", information}}));
    }
    print(fmt::format("{} against {}: {} samples\n\n  clustering_accuracy  {:.4f}\n  nmi                  {:.4f}\n",
                      clusters_, path_, data.samples(), accuracy, information));
  }

  std::string first_;
  std::string second_;
  std::string path_;  // of the data
  std::string predictions_;
  bool only_predicted_ = false;
  std::string clusters_;
  std::string folds_;
  std::string curve_;
  bool force_ = false;
  bool breakdown_ = false;
  CoverageArguments covering_;
  EvaluateOptions options_;
  ValidationOptions validation_;
  TrainArguments train_;
  TeamArguments team_;
  ReadArguments read_{Missing::kKeep};
};

}  // namespace

std::unique_ptr<Command> make_evaluate_command() {
  return std::make_unique<EvaluateCommand>();
}

}  // namespace clade::cli
