#include <clade/dataset.h>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/check.h"

namespace clade {

Index row_count(const FeatureMatrix& matrix) {
  return std::visit([](const auto& m) { return m.rows; }, matrix);
}
Index column_count(const FeatureMatrix& matrix) {
  return std::visit([](const auto& m) { return m.columns; }, matrix);
}
bool is_sparse(const FeatureMatrix& matrix) {
  return std::visit([](const auto& m) { return requires { m.indices; }; }, matrix);
}
bool is_single_precision(const FeatureMatrix& matrix) {
  return std::visit([](const auto& m) { return std::is_same_v<std::decay_t<decltype(m.values[0])>, float>; }, matrix);
}

// Two levels, because labels and names can be replaced while feature values stay shared.
struct Dataset::Body {
  std::shared_ptr<const FeatureMatrix> features;
  std::shared_ptr<const std::vector<std::string>> feature_names;
  std::shared_ptr<const std::vector<std::string>> sample_names;
  std::shared_ptr<const std::vector<Index>> row_numbers;
  std::shared_ptr<const TextVectorizer> vectorizer;
  std::shared_ptr<const WordCollection> words;
  std::shared_ptr<const Replacement> replacement;
  std::shared_ptr<const RowParts> row_parts;
  std::shared_ptr<const LabelSets> labels;
  std::vector<Index> label_rows;  // by sample, once a view has labels of its own; empty: labels are by row
  Taxonomy taxonomy;
};

Dataset::Dataset(Parts parts) {
  const Index rows = row_count(parts.features);
  CLADE_CHECK(parts.labels.samples() == rows);
  CLADE_CHECK(parts.taxonomy.has_value());
  CLADE_CHECK(parts.sample_names.empty() || static_cast<Index>(parts.sample_names.size()) == rows);
  CLADE_CHECK(parts.row_numbers.empty() || std::ssize(parts.row_numbers) == rows);
  CLADE_CHECK(parts.feature_names.empty() ||
              static_cast<Index>(parts.feature_names.size()) == column_count(parts.features));
  const NodeId nodes = parts.taxonomy->size();
  for (const NodeId node : parts.labels.nodes) CLADE_CHECK(node >= 0 && node < nodes);
  body_ = std::make_shared<const Body>(
      Body{.features = std::make_shared<const FeatureMatrix>(std::move(parts.features)),
           .feature_names = std::make_shared<const std::vector<std::string>>(std::move(parts.feature_names)),
           .sample_names = std::make_shared<const std::vector<std::string>>(std::move(parts.sample_names)),
           .row_numbers = std::make_shared<const std::vector<Index>>(std::move(parts.row_numbers)),
           .vectorizer = std::move(parts.vectorizer),
           .words = std::move(parts.words),
           .replacement = std::move(parts.replacement),
           .row_parts = nullptr,
           .labels = std::make_shared<const LabelSets>(std::move(parts.labels)),
           .label_rows = {},
           .taxonomy = std::move(*parts.taxonomy)});
}

Index Dataset::samples() const {
  return rows_ ? static_cast<Index>(rows_->size()) : row_count(matrix());
}
Index Dataset::features() const {
  return column_count(matrix());
}
const Taxonomy& Dataset::taxonomy() const {
  return body_->taxonomy;
}
const FeatureMatrix& Dataset::matrix() const {
  return *body_->features;
}
std::span<const NodeId> Dataset::labels(Index sample) const {
  const auto s = static_cast<std::size_t>(sample);
  return body_->labels->of(body_->label_rows.empty() ? source_row(sample) : body_->label_rows[s]);
}

bool Dataset::has_feature_names() const {
  return !body_->feature_names->empty();
}
bool Dataset::has_sample_names() const {
  return !body_->sample_names->empty();
}

std::string Dataset::feature_name(FeatureIndex feature) const {
  return has_feature_names() ? (*body_->feature_names)[static_cast<std::size_t>(feature)] : std::to_string(feature);
}

std::string Dataset::sample_name(Index sample) const {
  if (!has_sample_names()) return std::to_string(sample_number(sample));
  return (*body_->sample_names)[static_cast<std::size_t>(source_row(sample))];
}

Index Dataset::sample_number(Index sample) const {
  const Index row = source_row(sample);
  return body_->row_numbers->empty() ? row : (*body_->row_numbers)[static_cast<std::size_t>(row)];
}

std::span<const std::string> Dataset::feature_names() const {
  return *body_->feature_names;
}
const std::shared_ptr<const TextVectorizer>& Dataset::vectorizer() const {
  return body_->vectorizer;
}

const std::shared_ptr<const WordCollection>& Dataset::words() const {
  return body_->words;
}
const std::shared_ptr<const Replacement>& Dataset::replacement() const {
  return body_->replacement;
}

Dataset Dataset::with_features(Parts parts) const {
  CLADE_CHECK(row_count(parts.features) == samples());
  parts.taxonomy = taxonomy();
  parts.labels = {};
  parts.sample_names.clear();
  parts.row_numbers = rows_ ? std::vector<Index>() : *body_->row_numbers;
  for (Index s = 0; s < samples(); ++s) {
    const auto of = labels(s);
    parts.labels.nodes.insert(parts.labels.nodes.end(), of.begin(), of.end());
    parts.labels.offsets.push_back(std::ssize(parts.labels.nodes));
    // Samples of a view keep their names, including those that are just numbers.
    if (has_sample_names() || rows_) parts.sample_names.push_back(sample_name(s));
  }
  return Dataset(std::move(parts));
}

const std::shared_ptr<const RowParts>& Dataset::row_parts() const {
  return body_->row_parts;
}

Dataset Dataset::with_row_parts(std::shared_ptr<const RowParts> parts) const {
  Body body = *body_;
  body.row_parts = std::move(parts);
  Dataset result = *this;
  result.body_ = std::make_shared<const Body>(std::move(body));
  return result;
}

Dataset Dataset::with_replacement(std::shared_ptr<const Replacement> replacement) const {
  Body body = *body_;
  body.replacement = std::move(replacement);
  Dataset result = *this;
  result.body_ = std::make_shared<const Body>(std::move(body));
  return result;
}

Dataset Dataset::subset(std::vector<Index> rows) const {
  CLADE_CHECK(!body_->row_parts);
  for (const Index row : rows) CLADE_CHECK(row >= 0 && row < samples());
  Dataset view = *this;
  if (!body_->label_rows.empty()) {
    Body body = *body_;
    body.label_rows = rows;
    for (Index& row : body.label_rows) row = body_->label_rows[static_cast<std::size_t>(row)];
    view.body_ = std::make_shared<const Body>(std::move(body));
  }
  for (Index& row : rows) row = source_row(row);
  view.rows_ = std::make_shared<const std::vector<Index>>(std::move(rows));
  return view;
}

Dataset Dataset::relabelled(Taxonomy taxonomy, LabelSets labels) const {
  CLADE_CHECK(labels.samples() == samples());
  for (const NodeId node : labels.nodes) CLADE_CHECK(node >= 0 && node < taxonomy.size());
  // The samples of a view have their own labels: a row that occurs twice may have two label sets.
  std::vector<Index> label_rows(rows_ ? rows_->size() : 0);
  std::iota(label_rows.begin(), label_rows.end(), Index{0});
  Dataset result = *this;
  result.body_ = std::make_shared<const Body>(Body{.features = body_->features,
                                                   .feature_names = body_->feature_names,
                                                   .sample_names = body_->sample_names,
                                                   .row_numbers = body_->row_numbers,
                                                   .vectorizer = body_->vectorizer,
                                                   .words = body_->words,
                                                   .replacement = body_->replacement,
                                                   .row_parts = body_->row_parts,
                                                   .labels = std::make_shared<const LabelSets>(std::move(labels)),
                                                   .label_rows = std::move(label_rows),
                                                   .taxonomy = std::move(taxonomy)});
  return result;
}

bool has_several_labels(const Dataset& data) {
  for (Index s = 0; s < data.samples(); ++s) {
    if (data.labels(s).size() > 1) return true;
  }
  return false;
}

std::vector<Index> samples_below(const Dataset& data, NodeId node) {
  const Taxonomy& taxonomy = data.taxonomy();
  std::vector<bool> inside(static_cast<std::size_t>(taxonomy.size()), false);
  inside[static_cast<std::size_t>(node)] = true;
  for (const NodeId below : taxonomy.descendants(node)) inside[static_cast<std::size_t>(below)] = true;
  std::vector<Index> rows;
  for (Index s = 0; s < data.samples(); ++s) {
    const auto labels = data.labels(s);
    if (std::any_of(labels.begin(), labels.end(), [&](NodeId l) { return inside[static_cast<std::size_t>(l)]; })) {
      rows.push_back(s);
    }
  }
  return rows;
}

Dataset with_leaf_labels(const Dataset& data) {
  LabelSets labels;
  std::vector<NodeId> used;
  for (Index s = 0; s < data.samples(); ++s) {
    const auto of = data.labels(s);
    used.insert(used.end(), of.begin(), of.end());
  }
  Taxonomy extended = data.taxonomy().with_miscellaneous_leaves(used);
  for (Index s = 0; s < data.samples(); ++s) {
    for (const NodeId node : data.labels(s)) {
      const NodeId leaf = extended.miscellaneous_leaf(node);
      labels.nodes.push_back(leaf == kNoNode ? node : leaf);
    }
    std::sort(labels.nodes.begin() + labels.offsets.back(), labels.nodes.end());
    labels.offsets.push_back(static_cast<Index>(labels.nodes.size()));
  }
  return data.relabelled(std::move(extended), std::move(labels));
}

}  // namespace clade
