#include <clade/dataset.h>
#include <fmt/core.h>

#include <cmath>
#include <map>
#include <set>

namespace clade {
namespace {

bool same_value(double a, double b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}

// The non-zero values of a row, which are the same for dense and sparse storage.
std::map<FeatureIndex, double> nonzero_values(const Dataset& data, Index sample) {
  std::map<FeatureIndex, double> row;
  data.for_each_value(sample, [&](FeatureIndex feature, auto value) {
    if (value != 0) row.emplace(feature, static_cast<double>(value));
  });
  return row;
}

std::set<std::string> label_names(const Dataset& data, Index sample) {
  std::set<std::string> names;
  for (const NodeId node : data.labels(sample)) names.insert(data.taxonomy().name(data.taxonomy().fold(node)));
  return names;
}

std::optional<std::string> row_difference(const Dataset& a, const Dataset& b, Index sample) {
  const auto x = nonzero_values(a, sample);
  const auto y = nonzero_values(b, sample);
  const auto same = [](const auto& p, const auto& q) { return p.first == q.first && same_value(p.second, q.second); };
  if (x.size() != y.size() || !std::equal(x.begin(), x.end(), y.begin(), same)) {
    return fmt::format("sample {} has other feature values", sample);
  }
  if (label_names(a, sample) != label_names(b, sample)) return fmt::format("sample {} has other labels", sample);
  if (a.has_sample_names() && a.sample_name(sample) != b.sample_name(sample)) {
    return fmt::format("sample {} has another name", sample);
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> difference(const Dataset& a, const Dataset& b) {
  if (a.samples() != b.samples()) return fmt::format("{} samples against {}", a.samples(), b.samples());
  if (a.features() != b.features()) return fmt::format("{} features against {}", a.features(), b.features());
  if (is_single_precision(a.matrix()) != is_single_precision(b.matrix())) return "float against double";
  if (!(a.taxonomy() == b.taxonomy())) return "the taxonomies differ";
  const auto names_a = a.feature_names();
  const auto names_b = b.feature_names();
  if (!std::equal(names_a.begin(), names_a.end(), names_b.begin(), names_b.end())) return "the feature names differ";
  if (a.has_sample_names() != b.has_sample_names()) return "one has sample names, the other none";
  for (Index s = 0; s < a.samples(); ++s) {
    if (auto found = row_difference(a, b, s)) return found;
  }
  return std::nullopt;
}

}  // namespace clade
