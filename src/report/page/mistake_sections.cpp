// The sections of a model's page about mistakes, and those that the scripts fill.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "report/page/chart.h"
#include "report/page/distance_matrix.h"
#include "report/page/model_sections.h"
#include "report/text_table.h"

namespace clade {
namespace {

constexpr std::size_t kWeakestNodes = 30;
constexpr std::size_t kMostBars = 20;
constexpr int kLongestText = 280;  // in letters
constexpr int kLongestClass = 160;
constexpr std::size_t kStrongestWords = 10;
constexpr std::size_t kMostExampleBytes = 400'000;  // a page has at most 3 MB

std::string class_name(const ModelFacts& facts, NodeId node) {
  return shortened(facts.taxonomy.name(node), kLongestClass);
}

// Twenty bars stand so close that "17 %" would run into its neighbour.
std::string percent_text(double share) {
  return share > 0 && share < 0.005 ? "<1" : fmt::format("{:.0f}", 100 * share);
}

PageFigure distance_figure(const MistakeSummary& mistakes, Index samples) {
  PageFigure figure;
  figure.name = "mistake-distances";
  figure.title = "How far off are the mistakes?";
  figure.explanation =
      "Edges in the hierarchy between a wrong label and the nearest true one. Above each bar: per cent of all "
      "mistakes.";
  figure.description = "Number of mistakes by their distance from the truth in the hierarchy.";
  figure.numbers = {"mistake-distances", "Mistakes by distance", {}, {}};
  figure.numbers.columns = {{"distance", true, ""}, {"mistakes", true, ""}, {"share", true, "of all mistakes"}};
  BarChart chart{
      "edges between the wrong and the true label", fmt::format("mistakes at {} samples", grouped(samples)), {}};
  const std::size_t longest = mistakes.by_distance.size() - 1;
  for (std::size_t d = 1; d <= std::min(longest, kMostBars); ++d) {
    const bool is_rest = d == kMostBars && longest > kMostBars;
    const auto begin = mistakes.by_distance.begin() + static_cast<std::ptrdiff_t>(d);
    const Index count = is_rest ? std::accumulate(begin, mistakes.by_distance.end(), Index{0}) : *begin;
    const std::string label = fmt::format("{}{}", d, is_rest ? "+" : "");
    const double share = static_cast<double>(count) / static_cast<double>(mistakes.count);
    chart.bars.push_back({label, static_cast<double>(count), percent_text(share)});
    PageCell distance = count_cell(static_cast<Index>(d));
    distance.text = label;
    figure.numbers.rows.push_back({std::move(distance), count_cell(count), share_cell(count, mistakes.count)});
  }
  figure.svg = bar_chart_svg(chart);
  return figure;
}

PageTable confusions_table(const ModelFacts& facts) {
  PageTable table{"confusions", "The costliest confusions (samples x distance)", {}, {}};
  table.columns = {{"true", false, ""},
                   {"taken for", false, ""},
                   {"samples", true, ""},
                   {"distance", true, "edges between the two"},
                   {"cost", true, "samples x distance"}};
  for (const Confusion& confusion : facts.evaluation.most_costly) {
    table.rows.push_back({text_cell(class_name(facts, confusion.truth)),
                          text_cell(class_name(facts, confusion.predicted)), count_cell(confusion.count),
                          count_cell(confusion.distance), count_cell(confusion.cost())});
  }
  return table;
}

// The features with the largest values, for samples of text whose text is not known.
std::string strongest_words(const Dataset& data, Index sample) {
  std::vector<std::pair<double, FeatureIndex>> values;
  data.for_each_value(sample, [&](FeatureIndex feature, double value) {
    if (value > 0) values.emplace_back(-value, feature);
  });
  const std::size_t count = std::min(kStrongestWords, values.size());
  std::partial_sort(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count), values.end());
  std::string text;
  for (std::size_t k = 0; k < count; ++k) {
    text += fmt::format("{}{}", k == 0 ? "" : ", ", data.feature_name(values[k].second));
  }
  return text;
}

std::string sample_text(const ModelFacts& facts, Index sample) {
  if (!facts.names.texts.empty()) {
    return shortened(facts.names.texts[static_cast<std::size_t>(sample)], kLongestText);
  }
  if (!facts.data.vectorizer() || !facts.data.has_feature_names()) return {};
  return shortened(strongest_words(facts.data, sample), kLongestText);
}

std::string sample_html(const ModelFacts& facts, Index judged) {
  const JudgedSamples& samples = *facts.evaluation.judged;
  const Index sample = samples.samples[static_cast<std::size_t>(judged)];
  const std::string text = sample_text(facts, sample);
  return fmt::format("<li><b>{}</b> <span class=\"score\">score {:.3g}</span>{}</li>\n",
                     html_escaped(facts.data.sample_name(sample)), samples.score[static_cast<std::size_t>(judged)],
                     text.empty() ? "" : fmt::format("<p>{}</p>", html_escaped(text)));
}

// The samples that the model was surest of come first: they teach most.
std::vector<Index> samples_of(const ModelFacts& facts, const Confusion& confusion) {
  std::vector<Index> result;
  for (const WrongLabel& one : facts.wrong) {
    if (one.truth == confusion.truth && one.predicted == confusion.predicted) result.push_back(one.judged);
  }
  const auto& score = facts.evaluation.judged->score;
  std::ranges::sort(result, {},
                    [&](Index judged) { return std::pair(-score[static_cast<std::size_t>(judged)], judged); });
  result.resize(std::min(result.size(), static_cast<std::size_t>(facts.options.texts)));
  return result;
}

std::string examples_html(const ModelFacts& facts) {
  if (facts.options.texts == 0) return {};
  std::string text;
  for (const Confusion& confusion : facts.evaluation.most_costly) {
    if (text.size() > kMostExampleBytes) break;
    std::string samples;
    for (const Index judged : samples_of(facts, confusion)) samples += sample_html(facts, judged);
    text += fmt::format(
        "<details class=\"example\" data-true=\"{}\" data-predicted=\"{}\"><summary>{} <span class=\"arrow\">taken "
        "for</span> {} <span class=\"score\">{}</span></summary>\n<ul>{}</ul></details>\n",
        html_escaped(facts.taxonomy.name(confusion.truth)), html_escaped(facts.taxonomy.name(confusion.predicted)),
        html_escaped(class_name(facts, confusion.truth)), html_escaped(class_name(facts, confusion.predicted)),
        counted(static_cast<std::size_t>(confusion.count), "sample"), samples);
  }
  return text.empty() ? ""
                      : fmt::format("<h3>Samples of these confusions</h3>\n<div class=\"examples\">\n{}</div>\n", text);
}

PageTable weakest_table(const ModelFacts& facts) {
  PageTable table{"weakest-classes", "The weakest classes, by F1", {}, {}};
  table.columns = {{"class", false, ""},
                   {"level", true, ""},
                   {"true", true, "samples that truly belong there, or below"},
                   {"predicted", true, "samples predicted there, or below"},
                   {"precision", true, ""},
                   {"recall", true, ""},
                   {"F1", true, ""}};
  std::vector<NodeScore> nodes;
  for (const NodeScore& node : facts.evaluation.nodes) {
    const bool is_link = facts.taxonomy.children(node.node).size() == 1;  // the same as the node below it
    if (node.node != facts.taxonomy.root() && node.support > 0 && !is_link) nodes.push_back(node);
  }
  std::ranges::sort(nodes, {}, [](const NodeScore& n) { return std::tuple(n.f1().value_or(0), -n.support, n.node); });
  nodes.resize(std::min(nodes.size(), kWeakestNodes));
  for (const NodeScore& node : nodes) {
    table.rows.push_back({text_cell(class_name(facts, node.node)), count_cell(facts.taxonomy.depth(node.node)),
                          count_cell(node.support), count_cell(node.predicted), share_cell(node.precision()),
                          share_cell(node.recall()), share_cell(node.f1())});
  }
  return table;
}

}  // namespace

PageSection mistakes_section(const ModelFacts& facts, Context& ctx) {
  if (facts.mistakes.count == 0) {
    return {"mistakes", "Mistakes", paragraph_html("There are none.") + table_html(weakest_table(facts))};
  }
  std::string figures = figure_html(distance_figure(facts.mistakes, facts.evaluation.samples));
  if (const auto matrix = distance_matrix_figure(facts.taxonomy, facts.wrong, ctx)) figures += figure_html(*matrix);
  std::string body = "<div class=\"figures\">\n" + figures + "</div>\n";
  body +=
      paragraph_html(
          "Rows are what samples are, columns what they were taken for. Open a node to see its children apart; choose "
          "a cell to see which classes were confused, and some of the samples.") +
      "<div id=\"confusion-view\"></div>\n";
  if (!facts.evaluation.most_costly.empty()) body += table_html(confusions_table(facts)) + examples_html(facts);
  return {"mistakes", "Mistakes", body + table_html(weakest_table(facts))};
}

PageSection explorer_section(const ModelFacts&) {
  return {"explorer", "Explorer",
          paragraph_html(
              "The whole hierarchy as a map to zoom, and as a tree to open. Colour is quality, size is samples. "
              "Choose a node, or look for its name, to see its samples, its quality, what the model looks at, and "
              "what it shares with its parent and its siblings.") +
              "<div id=\"explorer-view\"></div>\n"};
}

PageSection branches_section(const ModelFacts& facts) {
  if (facts.branches.empty()) return {"branches", "Where samples go", ""};
  return {"branches", "Where samples go",
          paragraph_html("At every inner node: of the samples that truly belong to a child, how many the model sent to "
                         "the same child, to another one, no further than the node itself, or elsewhere in the "
                         "hierarchy. Open a child to follow its samples further down.") +
              "<div id=\"branches-view\"></div>\n"};
}

}  // namespace clade
