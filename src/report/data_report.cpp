#include "report/data_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <span>

#include "report/json_text.h"
#include "report/text_table.h"

namespace clade {
namespace {

using nlohmann::json;

constexpr int kBarCells = 40;
constexpr std::size_t kMostRows = 24;  // of one histogram

std::string bar(Index count, Index largest) {
  const double share = largest > 0 ? static_cast<double>(count) / static_cast<double>(largest) : 0;
  const auto cells = static_cast<std::size_t>(std::lround(share * kBarCells));
  return std::string(std::max<std::size_t>(cells, count > 0 ? 1 : 0), '#');
}

std::string range_text(const Bin& bin) {
  return bin.low == bin.high ? grouped(bin.low) : fmt::format("{}-{}", grouped(bin.low), grouped(bin.high));
}

std::string histogram(std::string_view title, const std::vector<Bin>& bins) {
  if (bins.empty()) return {};
  std::string text = fmt::format("\n{}\n", title);
  Index largest = 0;
  for (const Bin& bin : bins) largest = std::max(largest, bin.count);
  for (std::size_t k = 0; k < std::min(bins.size(), kMostRows); ++k) {
    text +=
        fmt::format("  {:>13}  {:>9}  {}\n", range_text(bins[k]), grouped(bins[k].count), bar(bins[k].count, largest));
  }
  if (bins.size() > kMostRows) text += fmt::format("  ... {} more\n", bins.size() - kMostRows);
  return text;
}

std::string levels_picture(const TaxonomySummary& summary) {
  std::string text = "\nnodes per level          inner    leaves\n";
  Index largest = 0;
  for (std::size_t k = 0; k < summary.inner_per_level.size(); ++k) {
    largest = std::max(largest, summary.inner_per_level[k] + summary.leaves_per_level[k]);
  }
  for (std::size_t k = 0; k < std::min(summary.inner_per_level.size(), kMostRows); ++k) {
    const Index inner = summary.inner_per_level[k];
    const Index leaves = summary.leaves_per_level[k];
    const auto cells = bar(inner + leaves, largest).size();
    const double inner_share =
        inner + leaves == 0 ? 0 : static_cast<double>(inner) / static_cast<double>(inner + leaves);
    const auto inner_cells = static_cast<std::size_t>(std::lround(static_cast<double>(cells) * inner_share));
    text += fmt::format("  {:>13}  {:>9} {:>9}  {}{}\n", k == 0 ? "root" : std::to_string(k), grouped(inner),
                        grouped(leaves), std::string(inner_cells, '='), std::string(cells - inner_cells, '#'));
  }
  if (summary.inner_per_level.size() > kMostRows) {
    text += fmt::format("  ... {} more levels\n", summary.inner_per_level.size() - kMostRows);
  }
  return text;
}

std::string hierarchy_line(const TaxonomySummary& t) {
  std::string text = fmt::format("{}, {} nodes ({} internal, {} leaves), {} edges, {} levels", t.tree ? "tree" : "DAG",
                                 grouped(t.nodes), grouped(t.internal), grouped(t.leaves), grouped(t.edges), t.levels);
  if (!t.tree) {
    text +=
        fmt::format(" by the longest path, {} by the shortest; up to {} parents", t.shortest_levels, t.most_parents);
  }
  if (t.virtual_root) text += "; virtual root";
  return text;
}

constexpr Index kMostTopLines = 60;
constexpr Index kFewChildren = 3;  // shown of a group if there are too many lines otherwise

Index lines_of(const TopNode& node) {
  Index lines = std::ssize(node.largest) + (node.children > std::ssize(node.largest) ? 1 : 0);
  for (const TopNode& child : node.largest) lines += child.largest.empty() ? 0 : lines_of(child);
  return lines;
}

// The last part of a name that is a path, and so repeats what is above it.
std::string_view own_part(std::string_view name, std::string_view above) {
  if (above.empty() || !name.starts_with(above)) return name;
  const std::size_t part = name.find_first_not_of(" >/|:\\-.", above.size());
  return part == std::string_view::npos || part == above.size() ? name : name.substr(part);
}

void add_top(const TopNode& node, std::string_view above, const std::string& indent, Index most, std::string& text) {
  const Index shown = indent.empty() ? std::ssize(node.largest) : std::min(most, std::ssize(node.largest));
  for (const TopNode& child : std::span(node.largest).first(static_cast<std::size_t>(shown))) {
    text += fmt::format("  {:>13}  {}{}\n", grouped(child.samples), indent, own_part(child.name, above));
    add_top(child, child.name, indent + "  ", most, text);
  }
  if (shown > 0 && node.children > shown) {
    text += fmt::format("  {:>13}  {}... and {} more\n", "", indent, grouped(node.children - shown));
  }
}

std::string top_picture(const TopNode& root, std::string_view title) {
  if (root.largest.empty()) return {};
  std::string text = fmt::format("\n{}\n", title);
  add_top(root, {}, "", lines_of(root) > kMostTopLines ? kFewChildren : kMostTopLines, text);
  return text;
}

json top_json(const TopNode& node) {
  json result{{"name", node.name}, {"samples", node.samples}, {"children", node.children}};
  json largest = json::array();
  for (const TopNode& child : node.largest) largest.push_back(top_json(child));
  if (!node.largest.empty()) result["largest"] = std::move(largest);
  return result;
}

std::string pictures(const TaxonomySummary& summary) {
  return levels_picture(summary) + histogram("children per inner node", summary.children);
}

std::vector<std::string> joined(std::vector<std::string> first, const std::vector<std::string>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

}  // namespace

std::string titled_list(std::string_view title, const std::vector<std::string>& sentences) {
  if (sentences.empty()) return {};
  std::string text = fmt::format("\n{}\n", title);
  for (const auto& sentence : sentences) text += fmt::format("  - {}\n", sentence);
  return text;
}

json taxonomy_json(const TaxonomySummary& t) {
  return {{"nodes", t.nodes},
          {"internal", t.internal},
          {"leaves", t.leaves},
          {"edges", t.edges},
          {"height", t.levels},
          {"longest_path", t.levels - 1},
          {"shortest_path", t.shortest_levels - 1},
          {"kind", t.tree ? "tree" : "dag"},
          {"virtual_root", t.virtual_root}};
}

std::string data_text(const std::string& path, const DataSummary& s, const ReadReport& report) {
  const double values = static_cast<double>(s.samples) * static_cast<double>(s.features);
  const double share = values > 0 ? 100 * static_cast<double>(s.nonzeros) / values : 0;
  std::string text = fmt::format("{} ({})\n", path, report.format);
  text += fmt::format("  samples    {}\n", grouped(s.samples));
  text += s.sequences
              ? fmt::format("  sequences  of {} to {} symbols, {} different ones\n", grouped(s.sequences->shortest),
                            grouped(s.sequences->longest), grouped(s.sequences->alphabet))
              : fmt::format("  features   {}, {} {}, {:.3g} % non-zero\n", grouped(s.features),
                            s.sparse ? "sparse" : "dense", s.single_precision ? "float" : "double", share);
  text += fmt::format("  missing    {}\n", grouped(report.missing_values));
  text += fmt::format("  hierarchy  {}\n", hierarchy_line(s.taxonomy));
  text += fmt::format("  labels     {:.2f} per sample, on {} nodes\n", s.labels_per_sample, grouped(s.labelled_nodes));
  text += top_picture(s.top, "samples of the largest classes and groups");
  text += pictures(s.taxonomy);
  text += histogram("labels per sample         samples", s.labels);
  text += histogram("samples per class         classes", s.class_sizes);
  text += titled_list("notes", report.notes);
  text += titled_list("warnings", warnings_of(s));
  return text;
}

std::string data_json(const DataSummary& s, const ReadReport& report) {
  json document = taxonomy_json(s.taxonomy);
  document["format"] = report.format;
  document["samples"] = s.samples;
  document["features"] = s.features;
  document["nonzeros"] = s.nonzeros;
  document["labels_per_sample"] = s.labels_per_sample;
  document["labelled_nodes"] = s.labelled_nodes;
  document["missing_values"] = report.missing_values;
  document["constant_features"] = s.constant_features;
  document["repeated_rows"] = s.repeated_rows;
  document["inner_label_samples"] = s.inner_label_samples;
  document["leaves_without_sample"] = s.leaves_without_sample;
  document["contradicting_rows"] = s.contradicting_rows.count;
  document["similar_names"] = s.similar_names.count;
  document["one_sample_classes"] = s.small_classes.count;
  document["only_class"] = s.only_class.empty() ? json() : json(s.only_class);
  document["top"] = top_json(s.top);
  document["storage"] = s.sparse ? "sparse" : "dense";
  if (s.sequences) {
    document["sequences"] = {
        {"shortest", s.sequences->shortest}, {"longest", s.sequences->longest}, {"alphabet", s.sequences->alphabet}};
  }
  document["warnings"] = joined(report.notes, warnings_of(s));
  return json_text(document);
}

std::string taxonomy_text(const std::string& path, const LoadedTaxonomy& loaded) {
  const TaxonomySummary summary = summarise(loaded.taxonomy);
  return fmt::format("{} ({})\n  hierarchy  {}\n", path, loaded.report.format, hierarchy_line(summary)) +
         top_picture(top_of(loaded.taxonomy), "leaves below the largest nodes") + pictures(summary) +
         titled_list("notes", loaded.report.notes) + titled_list("warnings", warnings_of(summary));
}

std::string taxonomy_json(const LoadedTaxonomy& loaded) {
  const TaxonomySummary summary = summarise(loaded.taxonomy);
  json document = taxonomy_json(summary);
  document["format"] = loaded.report.format;
  document["warnings"] = joined(loaded.report.notes, warnings_of(summary));
  return json_text(document);
}

}  // namespace clade
