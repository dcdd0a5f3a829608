#include <clade/io.h>
#include <clade/model.h>
#include <clade/predict.h>
#include <clade/team.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <optional>

#include "cli/comma_list.h"
#include "cli/command.h"
#include "cli/coverage_arguments.h"
#include "cli/read_arguments.h"
#include "cli/team_arguments.h"
#include "report/explanation_text.h"
#include "report/json_text.h"

namespace clade::cli {
namespace {

using Shape = PredictFileOptions::Shape;
constexpr Choice<Shape> kShapeWords[] = {
    {Shape::kCsv, "csv"}, {Shape::kJsonLines, "json-lines"}, {Shape::kJsonLines, "jsonl"}};

struct ShapeOptions {
  Shape shape = Shape::kCsv;
  bool has_levels = false;
  std::string keep;
  Index explained = 0;
  Index reasons = 5;
};

void describe(ParameterTable& v, ShapeOptions& o) {
  v("to", o.shape, kShapeWords, "csv: sample,rank,label,score; json-lines: an object per sample");
  v("levels", o.has_levels,
    "also give the nodes on the way to the label, level by level, with their probabilities (one label per sample)");
  v("keep", o.keep, "columns of CSV, or fields of JSON lines, to copy to the output, such as id,title");
  v("explain", o.explained, nonnegative(), "show the paths of this many samples, and what decided at each node");
  v("reasons", o.reasons, at_least(1), "features, or training samples of a model with a kernel, shown at each node");
}

struct NodeOptions {
  double threshold = 0;
  Consistency consistency = Consistency::kDescendants;
  friend bool operator==(const NodeOptions&, const NodeOptions&) = default;
};

constexpr Choice<Consistency> kConsistencyWords[] = {{Consistency::kDescendants, "descendants"},
                                                     {Consistency::kAncestors, "ancestors"}};

void describe(ParameterTable& v, NodeOptions& o) {
  v("node-threshold", o.threshold, anything(), "with --nodes: only scores above this");
  v("consistency", o.consistency, kConsistencyWords,
    "with --nodes: a node gets the largest score of its descendants and itself, or the smallest of its ancestors and "
    "itself");
}

class PredictCommand : public Command {
 public:
  std::string_view name() const override { return "predict"; }
  std::string_view help() const override { return "apply a model to data: labels with scores"; }

  bool is_shared() const override { return true; }

  void declare(Arguments& arguments) override {
    arguments.positional("MODEL", model_, "a model from clade train");
    arguments.positional(
        "DATA", path_,
        "data to predict for, or a folder with the parts of it, - for standard input; labels are ignored", false);
    arguments.output("-o,--output", "FILE", output_,
                     "file for the predictions; without it, or with -, standard output");
    arguments.flag("--force", force_, "overwrite the output if it exists");
    arguments.option("--text", "TEXT", text_, "predict for this text instead of DATA");
    arguments.flag("--nodes", nodes_, "write the scores of all nodes instead of labels: sample,node,score");
    arguments.parameters("Nodes", ParameterTable(node_options_));
    covering_.declare(arguments);
    arguments.parameters("Prediction", ParameterTable(options_));
    arguments.parameters("Output", ParameterTable(shape_));
    arguments.often("--output --force --text --top-k --levels --keep --to --explain --coverage");
    team_.declare(arguments);
    read_.declare(arguments, "--format --missing");
    arguments.examples(
        "  clade predict model.clade new.csv -o predictions.csv\n"
        "  clade predict model.clade --text 'a sharp knife for bread' --explain 1\n"
        "  clade predict model.clade new.csv --levels --keep id,title -o predictions.csv\n"
        "  clade predict model.clade test.svm | head\n"
        "  clade predict model.clade test.arff --policy best --top-k 5 -o predictions.csv\n"
        "  clade predict model.clade test.arff --confidence 0.8 -o predictions.csv\n"
        "  clade predict model.clade test.arff --coverage 0.9 -o answers.csv\n"
        "  clade predict model.clade test.arff --coverage 95% --set-size 3 --to json-lines -o answers.jsonl\n"
        "  clade predict model.clade test.arff --nodes --node-threshold 0.01 -o nodes.csv\n"
        "  clade predict model.clade test.arff --explain 3\n"
        "  mpirun -np 8 clade predict model.clade parts/ -o predictions.csv --work finished/\n"
        "  zcat new.jsonl.gz | clade predict model.clade - --format json-lines --to json-lines | head\n");
  }

  void run(Context& ctx, const CommonOptions& common) override {
    const bool explains = shape_.explained > 0;
    if (path_.empty() == text_.empty()) {
      throw usage_error(path_.empty() ? "nothing to predict for" : "DATA and --text",
                        "expected one of DATA and --text");
    }
    refuse_idle_options();
    const std::vector<std::string> parts =
        text_.empty() ? data_files(path_, read_.options) : std::vector<std::string>();
    const bool is_dealt = shares(parts, ctx);
    if (!is_dealt && !leads(ctx)) return;
    std::optional<CoverageOptions> covering = covering_.options();
    if (covering) {
      if (nodes_ || explains) throw usage_error("--coverage with --nodes or --explain", "expected one of them");
      refuse_choice_of_labels("on answers with a guarantee", "expected --coverage without it");
      covering->align_features = options_.align_features;
    }
    const bool is_streamed = output_ == "-" || (output_.empty() && !explains);
    if (is_streamed && (common.json || explains)) {
      throw usage_error("standard output cannot hold both", "expected -o FILE with --json or --explain");
    }
    if (is_dealt) team_.begin(parts, {model_, read_.options.vocabulary}, common, ctx);
    const Model model = timed(ctx, "reading the model", [&] { return read_model(model_); });
    PredictFileOptions options{.predict = options_,
                               .read = read_.options,
                               .shape = shape_.shape,
                               .has_levels = shape_.has_levels,
                               .keep = comma_list(shape_.keep),
                               .overwrite = force_};
    options.covering = covering;
    if (nodes_) options.nodes_above = node_options_.threshold;
    options.consistency = node_options_.consistency;
    if (is_streamed) {
      options.write = [&](std::string_view text) {
        print(text);
        if (path_ == "-") std::fflush(stdout);  // whoever writes to the pipe may wait for the answer
      };
    } else if (!output_.empty()) {
      std::vector<std::string> inputs = read_.inputs({path_, model_});
      inputs.insert(inputs.end(), parts.begin(), parts.end());
      if (leads(ctx)) check_output(output_, force_, inputs);
      options.output = output_;
    }
    if (!text_.empty()) options.texts = {text_};
    std::vector<Explanation> explanations;
    const auto explain_first = [&](const Dataset& data, const Predictions& predictions) {
      for (Index s = 0; s < data.samples() && std::ssize(explanations) < shape_.explained; ++s) {
        const NodeId label = predictions.labels_of(s)[0];
        explanations.push_back(explanation_of(model, data, s, label, predictions.scores_of(s)[0],
                                              explain(model, data, s, label, shape_.reasons)));
      }
      return is_streamed || !output_.empty() || std::ssize(explanations) < shape_.explained;
    };
    if (explains) options.watch = explain_first;
    const PredictedFile done = timed(ctx, "predicting", [&] { return predict_file(model, path_, options, ctx); });
    for (const auto& note : done.notes) ctx.info(note);
    if (is_streamed || !leads(ctx)) return;
    if (common.json) {
      return print_json(explains ? explanations_json(done.samples, explanations) : done_json(done));
    }
    for (const Explanation& explanation : explanations) print(explanation_text(explanation));
    if (!output_.empty()) print(fmt::format("{} samples -> {}\n", done.samples, output_));
  }

 private:
  // Do the processes share the parts? Otherwise the leader does the work.
  bool shares(const std::vector<std::string>& parts, Context& ctx) const {
    if (parts.size() > 1 && shape_.explained == 0) return true;
    if (team_.is_given()) {
      throw usage_error("--work and --resume keep the predictions for parts of data",
                        "expected a folder with the parts of the data, and no --explain");
    }
    if (ctx.team() != nullptr && size(*ctx.team()) > 1) {
      ctx.info("this is the work of one process; several share the parts of data (clade convert --parts)");
    }
    return false;
  }

  static std::string done_json(const PredictedFile& done) {
    if (!done.without_words) return json_object({{"samples", done.samples}});
    return json_object({{"samples", done.samples}, {"texts_without_known_word", *done.without_words}});
  }

  // Refuses options that would have no effect: they are a misunderstanding.
  void refuse_idle_options() const {
    const bool explains = shape_.explained > 0;
    if (!nodes_ && node_options_ != NodeOptions{}) {
      throw usage_error("--node-threshold and --consistency have no effect", "expected --nodes with them");
    }
    if (nodes_ && explains) throw usage_error("--nodes and --explain", "expected one of them");
    if (nodes_ && (shape_.has_levels || !shape_.keep.empty())) {
      throw usage_error(fmt::format("--{} has no effect with --nodes", shape_.has_levels ? "levels" : "keep"),
                        "expected one of them");
    }
    if (nodes_) refuse_choice_of_labels("on the scores of all nodes", "expected --nodes without it");
    if (!explains && shape_.reasons != ShapeOptions{}.reasons) {
      throw usage_error("--reasons has no effect", "expected --explain N with it");
    }
    if (output_.empty() && explains && (shape_.shape != Shape::kCsv || shape_.has_levels || !shape_.keep.empty())) {
      throw usage_error("--to, --levels and --keep have no effect: --explain alone writes no predictions",
                        "expected -o FILE with it");
    }
    if (force_ && (output_.empty() || output_ == "-")) {
      throw usage_error("--force has no effect", "expected -o FILE with it");
    }
    if (!text_.empty() && (read_.options.skip_bad || !read_.options.bad_rows.empty())) {
      throw usage_error("--skip-bad and --bad-rows have no effect on --text", "expected DATA with them");
    }
    const bool counts_labels = options_.label_set == LabelSet::kAuto || options_.label_set == LabelSet::kTopK;
    if (options_.top_k > 0 && !counts_labels) {
      throw usage_error("--top-k has no effect", "expected --label-set top-k with it, or none");
    }
  }

  void refuse_choice_of_labels(std::string_view where, std::string_view expected) const {
    PredictOptions given = options_;
    given.align_features = false;
    PredictOptions usual;
    const ParameterTable defaults(usual);
    const ParameterTable table(given);
    for (std::size_t k = 0; k < table.parameters().size(); ++k) {
      const Parameter& parameter = table.parameters()[k];
      if (parameter.get() == defaults.parameters()[k].get()) continue;
      throw usage_error(fmt::format("--{} has no effect {}", parameter.name, where), expected);
    }
  }

  std::string model_;
  std::string path_;
  std::string text_;
  std::string output_;
  bool force_ = false;
  bool nodes_ = false;
  NodeOptions node_options_;
  CoverageArguments covering_;
  PredictOptions options_;
  ShapeOptions shape_;
  TeamArguments team_;
  ReadArguments read_;
};

}  // namespace

std::unique_ptr<Command> make_predict_command() {
  return std::make_unique<PredictCommand>();
}

}  // namespace clade::cli
