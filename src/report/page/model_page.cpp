#include "report/page/model_page.h"

#include <clade/error.h>
#include <clade/node_scores.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "classify/apply.h"
#include "classify/model_body.h"
#include "report/page/explorer_data.h"
#include "report/page/label_pairs.h"
#include "report/page/model_sections.h"
#include "report/text_table.h"
#include "select/ranking_file.h"

namespace clade {
namespace {

constexpr double kMostScores = 2e7;     // of all nodes for all samples, to be measured
constexpr double kMostResampled = 1e9;  // of these: some seconds
constexpr double kPlainMeasures = 40;   // a sample's measures take as long as those of so many nodes
constexpr int kFewestResamples = 100;   // that intervals can be told from
constexpr Index kCurvePoints = 400;

constexpr Choice<PixelOrder> kPixelOrders[] = {{PixelOrder::kColumns, "columns"}, {PixelOrder::kRows, "rows"}};

// What is measured for each sample, in scores of nodes.
double scores_of(const Model& model, const Dataset& data, NodeMeasures node_measures) {
  const auto nodes = static_cast<double>(scored_nodes(model));
  return static_cast<double>(data.samples()) *
         (node_measures == NodeMeasures::kYes ? nodes + kPlainMeasures : kPlainMeasures);
}

EvaluateOptions measuring(const Model& model, const Dataset& data, const ModelPageOptions& options,
                          std::vector<std::string>& notes) {
  EvaluateOptions result;
  result.keep_samples = true;
  result.confusions = options.confusions;
  result.curve_points = kCurvePoints;
  result.node_measures = NodeMeasures::kYes;
  if (static_cast<double>(data.samples()) * static_cast<double>(scored_nodes(model)) > kMostScores) {
    result.node_measures = NodeMeasures::kNo;
    notes.push_back(fmt::format("au_prc and its kin are left out: {} samples x {} nodes are many scores",
                                data.samples(), scored_nodes(model)));
  }
  const int affordable =
      static_cast<int>(std::min(1e6, kMostResampled / std::max(1.0, scores_of(model, data, result.node_measures))));
  result.bootstrap = options.resamples > 0 && affordable >= kFewestResamples;
  if (result.bootstrap) result.resamples = std::min(options.resamples, affordable);
  if (options.resamples > affordable && !result.bootstrap) {
    notes.push_back(fmt::format("no intervals: resampling {} samples takes long", data.samples()));
  }
  return result;
}

std::string file_name(const std::string& path) {
  const auto name = std::filesystem::path(path).filename().string();
  return name.empty() ? path : name;
}

DendrogramFile read_dendrogram(const std::string& path, const Taxonomy& taxonomy, Context& ctx) {
  DendrogramFile file = parse_dendrogram(Input::open(path, ctx));
  for (const std::string& name : file.dendrogram.classes) {
    const auto node = taxonomy.find(name);
    if (node && *node != taxonomy.root()) continue;
    throw input_error({.file = path}, fmt::format("no class '{}' in the hierarchy of the model", name),
                      "expected the dendrogram of the taxonomy that the model was trained with");
  }
  return file;
}

ModelFacts facts_of(const Model& model, const Dataset& data, const ModelPageNames& names,
                    const ModelPageOptions& options, Context& ctx) {
  Dataset aligned = with_model_features(data, model.body(), options.predict.align_features, ctx);
  FeatureShape shape = feature_shape(options, aligned, ctx);
  std::vector<std::string> notes = shape.notes;
  std::optional<FeatureRanking> ranking;
  if (!options.ranking.empty()) ranking = read_ranking(options.ranking, aligned, model.taxonomy(), ctx);
  std::optional<DendrogramFile> dendrogram;
  if (!options.dendrogram.empty()) dendrogram = read_dendrogram(options.dendrogram, model.taxonomy(), ctx);
  const EvaluateOptions measured = measuring(model, data, options, notes);
  Evaluation evaluation = evaluate(model, data, measured, options.predict, {}, ctx);
  evaluation.notes.insert(evaluation.notes.end(), notes.begin(), notes.end());
  const Taxonomy taxonomy = *evaluation.taxonomy;
  ModelFacts facts{.model = model,
                   .data = data,
                   .names = names,
                   .options = options,
                   .aligned = std::move(aligned),
                   .shape = std::move(shape),
                   .ranking = std::move(ranking),
                   .dendrogram = std::move(dendrogram),
                   .evaluation = std::move(evaluation),
                   .taxonomy = taxonomy,
                   .wrong = {},
                   .mistakes = {},
                   .stops = {},
                   .branches = {}};
  const JudgedSamples& judged = *facts.evaluation.judged;
  facts.wrong = wrong_labels(judged, taxonomy, ctx);
  facts.mistakes = summarise_mistakes(facts.wrong, taxonomy);
  facts.stops = early_stopping(model, data, judged, taxonomy, options.predict, ctx);
  facts.branches = branch_counts(judged, taxonomy);
  return facts;
}

Index bytes_of(const std::vector<PageSection>& sections) {
  Index bytes = 0;
  for (const PageSection& section : sections) bytes += std::ssize(section.body);
  return bytes;
}

// The hierarchy for the scripts, in what the sections leave of 3 MB.
std::string explorer_of(const ModelFacts& facts, Index used, Context& ctx) {
  constexpr Index kRoom = 2'700'000;  // beside style and scripts
  return explorer_json(facts.model, facts.aligned, facts.evaluation, facts.taxonomy, facts.branches,
                       label_pairs(*facts.evaluation.judged, facts.wrong),
                       {.top = facts.options.top,
                        .shape = facts.shape,
                        .ranking = facts.ranking ? &*facts.ranking : nullptr,
                        .room = kRoom - used},
                       ctx);
}

}  // namespace

void describe(ParameterTable& v, ModelPageOptions& o) {
  v("title", o.title, "title of the page; by default the names of the model and the data");
  v("max-texts", o.texts, between(0, 100), "samples to show for each of the costliest confusions");
  v("confusions", o.confusions, between(0, 1000), "number of these confusions");
  v("top", o.top, between(1, 100), "features to show for a node, where the hierarchy is not too large");
  v("resamples", o.resamples, between(0, 100000),
    "resamples for the intervals of measures, fewer where they take long; 0: no intervals");
  v("feature-tree", o.feature_tree, "file with groups of features, or the image that they are pixels of");
  v("ranking", o.ranking, "file with the features selected at the inner nodes; by default by the model's weights");
  v("dendrogram", o.dendrogram, "file that tells how the taxonomy was learned, to draw it");
  v("height", o.height, between(0, 100'000), "rows of the image, where features are its pixels; 0: by `width`");
  v("width", o.width, between(0, 100'000), "columns of the image, where features are its pixels; 0: by `height`");
  v("pixels", o.pixels, kPixelOrders, "columns: features go down the columns, as in MATLAB; rows: along the rows");
  describe_policy(v, o.predict);
}

ModelPage model_page(const Model& model, const Dataset& data, const ModelPageNames& names,
                     const ModelPageOptions& options, Context& ctx) {
  const ModelFacts facts = facts_of(model, data, names, options, ctx);
  Page page;
  page.title =
      options.title.empty() ? fmt::format("{} on {}", file_name(names.model), file_name(names.data)) : options.title;
  page.subtitle = fmt::format("How the classifier {} does on {} samples, measured by Clade.", model.classifier(),
                              grouped(facts.evaluation.samples));
  for (PageSection& section : std::vector{summary_section(facts), measures_section(facts), probabilities_section(facts),
                                          mistakes_section(facts, ctx), explorer_section(facts),
                                          dendrogram_section(facts), branches_section(facts)}) {
    if (!section.body.empty()) page.sections.push_back(std::move(section));
  }
  page.documents.emplace_back("taxonomy-data", explorer_of(facts, bytes_of(page.sections), ctx));
  return {page_html(page), facts.evaluation.samples, facts.evaluation.notes};
}

}  // namespace clade
