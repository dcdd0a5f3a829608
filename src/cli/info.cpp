#include <clade/feature_tree.h>
#include <clade/io.h>
#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/read_arguments.h"
#include "data/summary.h"
#include "io/feature_tree/feature_tree_file.h"
#include "model/model_file.h"
#include "report/feature_tree_report.h"
#include "report/model_report.h"

namespace clade::cli {
namespace {

using nlohmann::json;

constexpr int kBarCells = 40;
constexpr std::size_t kMostRows = 24;  // of one histogram

std::string grouped(Index number) {
  std::string digits = std::to_string(number);
  for (auto at = std::ssize(digits) - 3; at > 0; at -= 3) digits.insert(static_cast<std::size_t>(at), ",");
  return digits;
}

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
    text += fmt::format(" by the longest way, {} by the shortest; up to {} parents", t.shortest_levels, t.most_parents);
  }
  if (t.virtual_root) text += "; virtual root";
  return text;
}

std::string list(std::string_view title, const std::vector<std::string>& sentences) {
  if (sentences.empty()) return {};
  std::string text = fmt::format("\n{}\n", title);
  for (const auto& sentence : sentences) text += fmt::format("  - {}\n", sentence);
  return text;
}

std::string taxonomy_text(const TaxonomySummary& summary) {
  return levels_picture(summary) + histogram("children per inner node", summary.children);
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
  text += taxonomy_text(s.taxonomy);
  text += histogram("labels per sample         samples", s.labels);
  text += histogram("samples per class         classes", s.class_sizes);
  text += list("notes", report.notes);
  text += list("warnings", warnings_of(s));
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

std::vector<std::string> joined(std::vector<std::string> first, const std::vector<std::string>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

json data_json(const DataSummary& s, const ReadReport& report) {
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
  document["storage"] = s.sparse ? "sparse" : "dense";
  if (s.sequences) {
    document["sequences"] = {
        {"shortest", s.sequences->shortest}, {"longest", s.sequences->longest}, {"alphabet", s.sequences->alphabet}};
  }
  document["warnings"] = joined(report.notes, warnings_of(s));
  return document;
}

class InfoCommand : public Command {
 public:
  std::string_view name() const override { return "info"; }
  std::string_view help() const override {
    return "show what a data set, a taxonomy, a feature tree or a model holds, and what is odd about it";
  }

  void declare(Arguments& arguments) override {
    arguments.positional("DATA", path_, "data file, folder of documents, taxonomy, feature tree, or model");
    read_.declare(arguments);
    arguments.examples(
        "  clade info train.arff\n"
        "  clade info train.svm --taxonomy tree.csv --json\n"
        "  clade info go.obo\n"
        "  clade info tree.json\n"
        "  clade info model.clade\n"
        "  clade info documents/ --stem english --min-documents 3\n");
  }

  void run(Context& ctx, const CommonOptions& common) override {
    if (looks_like_model(path_)) return show_model(common);
    if (read_.is_taxonomy(path_)) return show_taxonomy(ctx, common);
    if (read_.options.format.empty() && is_feature_tree_file(path_, ctx)) return show_feature_tree(ctx, common);
    const LoadedData loaded = read_dataset(path_, read_.options, ctx);
    const DataSummary summary = summarise(loaded.data, ctx);
    if (common.json) return print_json(data_json(summary, loaded.report));
    print(data_text(path_, summary, loaded.report));
  }

 private:
  void show_taxonomy(Context& ctx, const CommonOptions& common) {
    const LoadedTaxonomy loaded = read_taxonomy(path_, read_.options, ctx);
    const TaxonomySummary summary = summarise(loaded.taxonomy);
    if (common.json) {
      json document = taxonomy_json(summary);
      document["format"] = loaded.report.format;
      document["warnings"] = joined(loaded.report.notes, warnings_of(summary));
      return print_json(document);
    }
    print(fmt::format("{} ({})\n  hierarchy  {}\n", path_, loaded.report.format, hierarchy_line(summary)) +
          taxonomy_text(summary) + list("notes", loaded.report.notes) + list("warnings", warnings_of(summary)));
  }

  void show_feature_tree(Context& ctx, const CommonOptions& common) const {
    const FeatureHierarchy hierarchy = read_feature_tree(path_, ctx);
    if (common.json) return print_json(feature_tree_json(hierarchy));
    print(fmt::format("{} (feature-tree)\n{}", path_, feature_tree_text(hierarchy)) + list("notes", hierarchy.notes));
  }

  void show_model(const CommonOptions& common) const {
    const Model model = read_model(path_);
    const auto bytes = static_cast<Index>(std::filesystem::file_size(path_));
    if (common.json) return print_json(model_json(model, bytes));
    print(model_text(model, path_, bytes));
  }

  std::string path_;
  ReadArguments read_{Missing::kKeep};
};

}  // namespace

std::unique_ptr<Command> make_info_command() {
  return std::make_unique<InfoCommand>();
}

}  // namespace clade::cli
