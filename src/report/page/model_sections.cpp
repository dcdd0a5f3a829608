#include "report/page/model_sections.h"

#include <clade/summary.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/page/chart.h"
#include "report/page/sentences.h"
#include "report/text_table.h"

namespace clade {
namespace {

// ---- summary

struct Card {
  std::string_view measure;
  std::string_view words;
};
constexpr Card kCards[] = {{"accuracy", "exactly right"},
                           {"hierarchical_f1", "right along the path (hierarchical F1)"},
                           {"tie", "edges from the truth, on average (TIE)"}};
constexpr Card kSetCards[] = {{"au_prc", "area under precision and recall, all nodes"},
                              {"hierarchical_f1", "right nodes, with all above (hierarchical F1)"},
                              {"tie", "edges from the truth, on average (TIE)"},
                              {"accuracy", "sets exactly right"}};

std::string card_html(const ModelFacts& facts, const Card& card) {
  const auto at =
      static_cast<std::size_t>(std::ranges::find(measures(), card.measure, &MeasureInfo::name) - measures().begin());
  const Evaluation& evaluation = facts.evaluation;
  if (!evaluation.values[at]) return {};
  std::string beside;
  if (!evaluation.intervals.empty() && evaluation.intervals[at]) {
    beside = fmt::format("<span>95&nbsp;% interval {:.3f} to {:.3f}</span>", evaluation.intervals[at]->low,
                         evaluation.intervals[at]->high);
  }
  if (evaluation.baseline.values[at]) {
    beside += fmt::format("<span>baseline {:.3f}</span>", *evaluation.baseline.values[at]);
  }
  return fmt::format(
      "<li data-measure=\"{}\" data-v=\"{}\"><b>{:.3f}</b><span class=\"what\">{}</span><span "
      "class=\"beside\">{}</span>"
      "</li>\n",
      card.measure, *evaluation.values[at], *evaluation.values[at], card.words, beside);
}

std::string cards_html(const ModelFacts& facts) {
  std::string text;
  const std::span<const Card> cards = facts.model.is_multilabel() ? std::span<const Card>(kSetCards) : kCards;
  for (const Card& card : cards) text += card_html(facts, card);
  return fmt::format("<ul class=\"cards\">\n{}</ul>\n", text);
}

std::string list_html(const std::vector<std::string>& sentences, std::string_view name) {
  std::string text;
  for (const std::string& sentence : sentences) text += fmt::format("<li>{}</li>\n", html_escaped(sentence));
  return text.empty() ? "" : fmt::format("<ul class=\"{}\">\n{}</ul>\n", name, text);
}

std::string fact_html(std::string_view name, std::string_view text, bool wide = false) {
  return fmt::format("<div{}><dt>{}</dt><dd>{}</dd></div>\n", wide ? " class=\"wide\"" : "", name, html_escaped(text));
}

std::string hierarchy_words(const Taxonomy& taxonomy) {
  const TaxonomySummary s = summarise(taxonomy);
  return fmt::format("{} of {} nodes, {} leaves, {} levels", s.tree ? "tree" : "DAG", grouped(s.nodes),
                     grouped(s.leaves), s.levels);
}

std::string facts_html(const ModelFacts& facts) {
  const Model& model = facts.model;
  std::string text = fact_html("Model", facts.names.model) + fact_html("Data", facts.names.data) +
                     fact_html("Samples", fmt::format("{} measured, {} trained on", grouped(facts.evaluation.samples),
                                                      grouped(model.samples()))) +
                     fact_html("Classifier", model.classifier()) + fact_html("Features", grouped(model.features())) +
                     fact_html("Hierarchy", hierarchy_words(facts.taxonomy));
  std::string parameters;
  for (const auto& [name, value] : model.parameters()) {
    if (!value.empty()) parameters += fmt::format("{}{} {}", parameters.empty() ? "" : ", ", name, value);
  }
  if (!parameters.empty()) text += fact_html("Parameters", parameters, true);
  return fmt::format("<dl class=\"facts\">\n{}</dl>\n", text);
}

// ---- measures

PageTable measures_table(const ModelFacts& facts) {
  const Evaluation& evaluation = facts.evaluation;
  const bool has_intervals = !evaluation.intervals.empty();
  PageTable table{"measures", "Measures, beside what a predictor gets that ignores the features", {}, {}};
  table.columns = {{"measure", false, ""}, {"value", true, ""}, {"baseline", true, ""}};
  if (has_intervals) {
    table.columns.push_back({"low", true, "lower end of the 95 % interval"});
    table.columns.push_back({"high", true, "upper end of the 95 % interval"});
  }
  table.columns.push_back({"better", false, ""});
  table.columns.push_back({"what it is", false, ""});
  for (std::size_t m = 0; m < measures().size(); ++m) {
    if (!evaluation.values[m]) continue;
    auto& row = table.rows.emplace_back();
    row = {text_cell(measures()[m].name), number_cell(evaluation.values[m]),
           number_cell(evaluation.baseline.values[m])};
    if (has_intervals) {
      const auto& interval = evaluation.intervals[m];
      row.push_back(number_cell(interval ? std::optional(interval->low) : std::nullopt));
      row.push_back(number_cell(interval ? std::optional(interval->high) : std::nullopt));
    }
    row.push_back(text_cell(measures()[m].higher_is_better ? "higher" : "lower"));
    row.push_back(text_cell(measures()[m].help));
  }
  return table;
}

const std::vector<PageColumn>& quality_columns() {
  static const std::vector<PageColumn> columns = {{"true", true, "samples that truly belong there, or below"},
                                                  {"predicted", true, "samples predicted there, or below"},
                                                  {"precision", true, "share of the predicted ones that are true"},
                                                  {"recall", true, "share of the true ones that are predicted"},
                                                  {"F1", true, "harmonic mean of precision and recall"}};
  return columns;
}

void add_quality(const NodeScore& score, std::vector<PageCell>& row) {
  row.push_back(count_cell(score.support));
  row.push_back(count_cell(score.predicted));
  row.push_back(share_cell(score.precision()));
  row.push_back(share_cell(score.recall()));
  row.push_back(share_cell(score.f1()));
}

constexpr std::size_t kMostLevels = 200;

PageTable levels_table(const ModelFacts& facts) {
  PageTable table{"levels", "By level, from the root down (nodes with their ancestors)", {}, {}};
  table.columns = {{"level", true, ""},
                   {"samples", true, "samples with a true node on the level"},
                   {"right", true, "share of these that are exactly right on the level"}};
  table.columns.insert(table.columns.end(), quality_columns().begin(), quality_columns().end());
  for (const LevelScore& level : facts.evaluation.levels) {
    if (table.rows.size() == kMostLevels) {
      table.caption += fmt::format("; the first {} of {}", kMostLevels, facts.evaluation.levels.size());
      break;
    }
    auto& row = table.rows.emplace_back();
    row = {count_cell(level.level), count_cell(level.samples), share_cell(level.right, level.samples)};
    add_quality(level.total, row);
  }
  return table;
}

// ---- probabilities

PageFigure reliability_figure(const Reliability& reliability) {
  PageFigure figure;
  figure.name = "reliability";
  figure.title = "Are the probabilities honest?";
  figure.explanation = fmt::format(
      "Samples in 15 bins by the probability of their first label, against how often it is right. On the dashed line "
      "the two agree; below it the model is too sure of itself. Mean distance from the line: {:.4f}.",
      reliability.expected_calibration_error);
  figure.description = "Reliability curve: share of right labels against their stated probability.";
  figure.numbers = {"reliability", "Probability of the first label, in bins", {}, {}};
  figure.numbers.columns = {{"mean probability", true, ""}, {"share that is right", true, ""}, {"samples", true, ""}};
  LineChart chart{{"probability that the model states", 0, 1, true}, {"share that is right", 0, 1, true}, {}, true};
  ChartLine& line = chart.lines.emplace_back();
  line.has_marks = true;
  for (const ReliabilityBin& bin : reliability.bins) {
    line.points.push_back({bin.score, bin.right});
    figure.numbers.rows.push_back({number_cell(bin.score), share_cell(bin.right), count_cell(bin.samples)});
  }
  figure.svg = line_chart_svg(chart);
  return figure;
}

PageFigure coverage_figure(const Reliability& reliability, bool are_sets) {
  PageFigure figure;
  figure.name = "coverage";
  figure.title = "Answering only when sure";
  figure.explanation =
      "If only the samples that the model is surest of are answered: the quality of these answers against their share.";
  figure.description = "Accuracy and hierarchical F1 of the answers against the share of samples that are answered.";
  figure.numbers = {"coverage", "Quality of the surest answers", {}, {}};
  figure.numbers.columns = {{"answered", true, "share of the samples"},
                            {"probability from", true, "lowest probability that is answered"},
                            {"accuracy", true, ""},
                            {"hierarchical F1", true, ""}};
  ChartLine accuracy{are_sets ? "first label right" : "exactly right", {}, true, false};
  ChartLine f1{"hierarchical F1", {}, true, false};
  double lowest = 1;
  for (const CoveragePoint& point : reliability.coverage) {
    accuracy.points.push_back({point.coverage, point.accuracy});
    f1.points.push_back({point.coverage, point.hierarchical_f1});
    lowest = std::min({lowest, point.accuracy, point.hierarchical_f1});
    figure.numbers.rows.push_back({share_cell(point.coverage), number_cell(point.threshold), share_cell(point.accuracy),
                                   share_cell(point.hierarchical_f1)});
  }
  figure.svg = line_chart_svg({{"share of the samples that are answered", 0, 1, true},
                               {"quality of the answers", axis_floor(lowest), 1, true},
                               {std::move(accuracy), std::move(f1)},
                               false});
  return figure;
}

PageFigure stopping_figure(const std::vector<EarlyStop>& stops) {
  PageFigure figure;
  figure.name = "early-stopping";
  figure.title = "Stopping where it is no longer sure";
  figure.explanation =
      "The answer is the deepest node on the way to the predicted class whose probability reaches the threshold. It is "
      "right if it is the true class or above it.";
  figure.description =
      "Share of right answers, share of full answers and mean depth of answers against the threshold of probability.";
  figure.numbers = {"early-stopping", "Answers at the deepest node above a threshold", {}, {}};
  figure.numbers.columns = {{"threshold", true, ""},
                            {"answered", true, "share of the samples that are answered below the root"},
                            {"right", true, "share of the answers that are right"},
                            {"in full", true, "share of the samples that are answered to the end"},
                            {"depth", true, "mean share of the path that is answered"}};
  ChartLine right{"right", {}, false, false};
  ChartLine full{"answered in full", {}, false, false};
  ChartLine depth{"depth of answers", {}, false, false};
  for (const EarlyStop& stop : stops) {
    right.points.push_back({stop.threshold, stop.right});
    full.points.push_back({stop.threshold, stop.full});
    depth.points.push_back({stop.threshold, stop.depth});
    figure.numbers.rows.push_back({number_cell(stop.threshold), share_cell(stop.answered), share_cell(stop.right),
                                   share_cell(stop.full), share_cell(stop.depth)});
  }
  figure.svg = line_chart_svg({{"threshold of probability", 0, 1, true},
                               {"share", 0, 1, true},
                               {std::move(right), std::move(full), std::move(depth)},
                               false});
  return figure;
}

// The same answers without the threshold between: what is given up for being right.
PageFigure depth_figure(const std::vector<EarlyStop>& stops) {
  PageFigure figure;
  figure.name = "early-stopping-coverage";
  figure.title = "What stopping early costs";
  figure.explanation =
      "Every point is a threshold of the figure before: the share of right answers against how much is still answered, "
      "in samples that are answered to the end, and in levels of the paths.";
  figure.description = "Share of right answers of early stopping against the share that is still answered.";
  ChartLine full{"samples answered in full", {}, false, false};
  ChartLine depth{"levels answered", {}, false, false};
  double lowest = 1;
  for (const EarlyStop& stop : stops) {
    full.points.push_back({stop.full, stop.right});
    depth.points.push_back({stop.depth, stop.right});
    lowest = std::min(lowest, stop.right);
  }
  figure.svg = line_chart_svg({{"share that is still answered", 0, 1, true},
                               {"share of right answers", axis_floor(lowest), 1, true},
                               {std::move(full), std::move(depth)},
                               false});
  return figure;
}

PageFigure curve_figure(const Evaluation& evaluation) {
  PageFigure figure;
  figure.name = "precision-recall";
  figure.title = "Precision and recall over all nodes";
  const double area = evaluation.value("au_prc").value_or(0);
  figure.explanation = fmt::format(
      "Every node whose score reaches a threshold counts as an answer; the threshold falls from left to right. "
      "Area: {:.4f} (au_prc).",
      area);
  figure.description = fmt::format("Precision-recall curve with an area of {:.4f}.", area);
  figure.numbers = {"precision-recall", "Precision and recall by threshold", {}, {}};
  figure.numbers.columns = {{"threshold", true, ""}, {"recall", true, ""}, {"precision", true, ""}};
  LineChart chart{{"recall", 0, 1, true}, {"precision", 0, 1, true}, {}, false};
  ChartLine& line = chart.lines.emplace_back();
  line.is_stepped = true;
  if (!evaluation.curve.empty()) line.points.push_back({0, evaluation.curve.front().precision});
  for (const CurvePoint& point : evaluation.curve) {
    line.points.push_back({point.recall, point.precision});
    figure.numbers.rows.push_back(
        {number_cell(point.threshold), number_cell(point.recall), number_cell(point.precision)});
  }
  figure.svg = line_chart_svg(chart);
  return figure;
}

}  // namespace

PageSection summary_section(const ModelFacts& facts) {
  std::string body =
      cards_html(facts) +
      list_html(plain_sentences(facts.evaluation, facts.taxonomy, facts.mistakes, facts.stops), "sentences") +
      facts_html(facts);
  if (!facts.evaluation.notes.empty()) {
    body += "<h3>Notes</h3>\n" + list_html(facts.evaluation.notes, "notes");
  }
  return {"summary", "Summary", std::move(body)};
}

PageSection measures_section(const ModelFacts& facts) {
  return {"measures", "Measures", table_html(levels_table(facts)) + table_html(measures_table(facts))};
}

PageSection probabilities_section(const ModelFacts& facts) {
  std::string body;
  if (facts.evaluation.reliability) {
    body += figure_html(reliability_figure(*facts.evaluation.reliability)) +
            figure_html(coverage_figure(*facts.evaluation.reliability, facts.model.is_multilabel()));
  }
  if (!facts.stops.empty()) body += figure_html(stopping_figure(facts.stops)) + figure_html(depth_figure(facts.stops));
  if (!facts.evaluation.curve.empty()) body += figure_html(curve_figure(facts.evaluation));
  if (!body.empty()) body = "<div class=\"figures\">\n" + body + "</div>\n";
  return {"probabilities", facts.evaluation.reliability ? "Probabilities" : "Scores", std::move(body)};
}

}  // namespace clade
