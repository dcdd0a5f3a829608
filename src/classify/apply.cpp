#include "classify/apply.h"

#include <clade/text.h>
#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "core/text.h"
#include "data/missing.h"
#include "io/labels/labels.h"
#include "taxonomy/restore.h"

namespace clade {
namespace {

std::vector<std::string> missing_features(const Dataset& data, const ModelBody& model) {
  const std::unordered_set<std::string_view> present(data.feature_names().begin(), data.feature_names().end());
  std::vector<std::string> missing;
  for (const std::string& name : model.feature_names) {
    if (!present.contains(name)) missing.push_back(name);
  }
  return missing;
}

Error other_features(const Dataset& data, const ModelBody& model, bool can_align) {
  constexpr std::size_t kShown = 5;
  const std::vector<std::string> missing = missing_features(data, model);
  if (std::ssize(missing) < model.features) {
    return usage_error(
        fmt::format("the data lack {} of the model's {} features: {}", missing.size(), model.features,
                    short_list(missing, kShown)),
        can_align ? "expected all of them; with `align-features` missing ones count as 0" : "expected all of them");
  }
  const std::vector<std::string> own(data.feature_names().begin(), data.feature_names().end());
  return usage_error(
      fmt::format("the data have none of the model's {} features: {}", model.features, short_list(missing, kShown)),
      own.empty() ? "expected columns of these names"
                  : fmt::format("expected these names instead of {}", short_list(own, kShown)));
}

Dataset by_names(const Dataset& data, const ModelBody& model) {
  std::unordered_map<std::string_view, FeatureIndex> place;
  for (std::size_t f = 0; f < model.feature_names.size(); ++f) {
    place.emplace(model.feature_names[f], static_cast<FeatureIndex>(f));
  }
  std::vector<FeatureIndex> to(static_cast<std::size_t>(data.features()), -1);
  std::vector<char> is_found(model.feature_names.size(), 0);
  for (std::size_t f = 0; f < to.size(); ++f) {
    const auto known = place.find(data.feature_names()[f]);
    if (known == place.end()) continue;
    to[f] = known->second;
    if (is_found[static_cast<std::size_t>(to[f])]++ == 0) continue;
    throw usage_error(fmt::format("the data have two features '{}'", data.feature_names()[f]),
                      "expected `align-features` with names that are unique");
  }
  if (std::ranges::find(is_found, 1) == is_found.end()) throw other_features(data, model, true);
  Dataset::Parts parts;
  parts.feature_names = model.feature_names;
  // Dense data stay dense, because some models learn scales from dense data alone, unless that takes more memory.
  if (!is_sparse(data.matrix()) && model.features <= data.features()) {
    DenseMatrix<double> matrix{data.samples(), model.features, Buffer<double>(data.samples() * model.features)};
    std::fill(matrix.values.begin(), matrix.values.end(), 0.0);
    for (Index s = 0; s < data.samples(); ++s) {
      data.for_each_value(s, [&](FeatureIndex f, auto value) {
        const FeatureIndex column = to[static_cast<std::size_t>(f)];
        if (column >= 0) matrix.values[s * model.features + column] = static_cast<double>(value);
      });
    }
    parts.features = std::move(matrix);
    return data.with_features(std::move(parts));
  }
  std::vector<std::pair<FeatureIndex, double>> row;
  std::vector<FeatureIndex> indices;
  std::vector<double> values;
  SparseMatrix<double> matrix{data.samples(), model.features, Buffer<Index>(data.samples() + 1), {}, {}};
  matrix.offsets[0] = 0;
  for (Index s = 0; s < data.samples(); ++s) {
    row.clear();
    data.for_each_value(s, [&](FeatureIndex f, auto value) {
      if (to[static_cast<std::size_t>(f)] >= 0 && value != 0) {
        row.emplace_back(to[static_cast<std::size_t>(f)], static_cast<double>(value));
      }
    });
    std::sort(row.begin(), row.end());
    for (const auto& [feature, value] : row) {
      indices.push_back(feature);
      values.push_back(value);
    }
    matrix.offsets[s + 1] = std::ssize(indices);
  }
  matrix.indices = Buffer<FeatureIndex>(std::ssize(indices));
  matrix.values = Buffer<double>(std::ssize(values));
  std::copy(indices.begin(), indices.end(), matrix.indices.begin());
  std::copy(values.begin(), values.end(), matrix.values.begin());
  parts.features = std::move(matrix);
  return data.with_features(std::move(parts));
}

// The hierarchy as it was before training; ids do not change.
Taxonomy without_miscellaneous_leaves(const Taxonomy& taxonomy) {
  TaxonomyShape shape = shape_of(taxonomy);
  if (shape.first_miscellaneous >= taxonomy.size()) return taxonomy;
  shape.names.resize(static_cast<std::size_t>(shape.first_miscellaneous));
  shape.input_position.resize(shape.names.size());
  std::erase_if(shape.edges, [&](const auto& edge) { return edge.second >= shape.first_miscellaneous; });
  shape.first_miscellaneous = TaxonomyShape{}.first_miscellaneous;
  return restore_taxonomy(std::move(shape), {});
}

// The nearest ancestors of a node of `other` that `taxonomy` has, none above another; the root if it has none.
std::vector<NodeId> known_parents(const Taxonomy& taxonomy, const Taxonomy& other, NodeId node) {
  std::vector<NodeId> known;
  for (const NodeId above : other.ancestors(node)) {
    if (above == other.root()) continue;
    if (const auto found = taxonomy.find(other.name(above))) known.push_back(*found);
  }
  std::sort(known.begin(), known.end());
  keep_most_specific(known, taxonomy);
  if (known.empty()) known.push_back(taxonomy.root());
  return known;
}

Dataset with_columns_of(const Dataset& data, const ModelBody& model, bool by_name, bool can_align, Context& ctx) {
  const bool has_sequences = model.vectorizer && model.vectorizer->options.sequences;
  if (has_sequences != holds_sequences(data)) {
    throw usage_error(has_sequences ? "the model is of sequences, and the data are none"
                                    : "the data are sequences, and the model is not of sequences",
                      "expected data of the kind that it was trained on");
  }
  if (has_sequences) return data;  // sequences may have any length
  const bool has_names = data.has_feature_names() && !model.feature_names.empty();
  // A table with none of the model's columns: what it has was left out when it was read.
  if (data.features() == 0 && !model.feature_names.empty()) throw other_features(data, model, can_align);
  if (by_name) {
    if (!has_names) {
      throw usage_error("`align-features` needs names of features on both sides", "expected data and model with names");
    }
    const std::vector<std::string> missing = missing_features(data, model);
    if (!missing.empty() && std::ssize(missing) < model.features) {
      ctx.info(fmt::format("{} of the model's {} features are missing and count as 0: {}", missing.size(),
                           model.features, short_list(missing, 5)));
    }
    return by_names(data, model);
  }
  if (has_names && !std::ranges::equal(data.feature_names(), model.feature_names)) {
    if (missing_features(data, model).empty()) return by_names(data, model);  // in another order, or among others
    throw other_features(data, model, can_align);
  }
  const bool fits = data.features() == model.features || (data.features() < model.features && is_sparse(data.matrix()));
  if (!fits) {
    throw usage_error(fmt::format("the data have {} features and the model {}", data.features(), model.features),
                      "expected the features that it was trained on");
  }
  return data;
}

}  // namespace

Dataset with_model_features(const Dataset& data, const ModelBody& model, bool by_name, Context& ctx, bool can_align) {
  const Dataset fitting = with_columns_of(data, model, by_name, can_align, ctx);
  if (!model.replacement) return fitting;
  Index replaced = 0;
  return with_replaced_values(fitting, model.replacement, replaced, ctx);
}

ModelLabels with_model_labels(const Dataset& data, const ModelBody& model, Context& ctx) {
  ModelLabels result{data, {}, 0};
  const Taxonomy taxonomy = with_nodes_of(without_miscellaneous_leaves(*model.taxonomy), data, result.unknown);
  const NodeId first_unknown = taxonomy.size() - static_cast<NodeId>(result.unknown.size());
  LabelSets labels;
  Index implied = 0;
  std::vector<NodeId> of_sample;
  for (Index s = 0; s < data.samples(); ++s) {
    of_sample.clear();
    for (const NodeId label : data.labels(s)) of_sample.push_back(*taxonomy.find(data.taxonomy().name(label)));
    std::sort(of_sample.begin(), of_sample.end());
    if (!of_sample.empty() && of_sample.back() >= first_unknown) ++result.samples_with_unknown;
    implied += keep_most_specific(of_sample, taxonomy);
    labels.nodes.insert(labels.nodes.end(), of_sample.begin(), of_sample.end());
    labels.offsets.push_back(std::ssize(labels.nodes));
  }
  if (implied > 0) {
    ctx.info(fmt::format("{} labels are, in the model's hierarchy, ancestors of another label of their sample: dropped",
                         implied));
  }
  result.data = data.relabelled(taxonomy, std::move(labels));
  return result;
}

Taxonomy with_nodes_of(const Taxonomy& taxonomy, const Dataset& data, std::vector<NodeId>& added) {
  const Taxonomy& other = data.taxonomy();
  std::vector<char> is_unknown(static_cast<std::size_t>(other.size()), 0);
  bool has_unknown = false;
  for (Index s = 0; s < data.samples(); ++s) {
    for (const NodeId label : data.labels(s)) {
      char& mark = is_unknown[static_cast<std::size_t>(label)];
      if (mark != 0 || taxonomy.find(other.name(label))) continue;
      mark = 1;
      has_unknown = true;
    }
  }
  if (!has_unknown) return taxonomy;
  TaxonomyShape shape = shape_of(taxonomy);
  for (NodeId node = 0; node < other.size(); ++node) {
    if (is_unknown[static_cast<std::size_t>(node)] == 0) continue;
    const auto id = static_cast<NodeId>(shape.names.size());
    shape.names.push_back(other.name(node));
    shape.input_position.push_back(id);
    for (const NodeId parent : known_parents(taxonomy, other, node)) shape.edges.emplace_back(parent, id);
    added.push_back(id);
  }
  return restore_taxonomy(std::move(shape), {});
}

}  // namespace clade
