#include <clade/dataset.h>
#include <clade/error.h>
#include <fmt/format.h>

#include <algorithm>

namespace clade {
namespace {

LabelSets found_labels(std::span<const std::vector<std::string>> names, const Taxonomy& taxonomy) {
  LabelSets labels;
  for (std::size_t s = 0; s < names.size(); ++s) {
    std::vector<NodeId> own;
    for (const std::string& name : names[s]) {
      const auto node = taxonomy.find(name);
      if (!node) throw usage_error(fmt::format("sample {}: no class '{}'", s, name), "expected nodes of the taxonomy");
      own.push_back(*node);
    }
    std::sort(own.begin(), own.end());
    own.erase(std::unique(own.begin(), own.end()), own.end());
    std::erase_if(own, [&](NodeId node) {
      return std::ranges::any_of(own, [&](NodeId other) { return taxonomy.is_ancestor(node, other); });
    });
    labels.nodes.insert(labels.nodes.end(), own.begin(), own.end());
    labels.offsets.push_back(std::ssize(labels.nodes));
  }
  return labels;
}

template <class T>
Buffer<T> copied(std::span<const T> values) {
  Buffer<T> buffer(std::ssize(values));
  std::ranges::copy(values, buffer.begin());
  return buffer;
}

Dataset assembled(FeatureMatrix features, std::span<const std::vector<std::string>> labels, const Taxonomy& taxonomy,
                  std::span<const std::string> names) {
  const Index columns = column_count(features);
  if (!names.empty() && std::ssize(names) != columns) {
    throw usage_error(fmt::format("{} names for {} features", names.size(), columns), "expected a name for each");
  }
  return Dataset({.features = std::move(features),
                  .labels = found_labels(labels, taxonomy),
                  .taxonomy = taxonomy,
                  .feature_names = {names.begin(), names.end()}});
}

}  // namespace

Dataset dense_dataset(std::span<const double> values, Index features, std::span<const std::vector<std::string>> labels,
                      const Taxonomy& taxonomy, std::span<const std::string> feature_names) {
  const Index samples = std::ssize(labels);
  if (features < 0 || std::ssize(values) != samples * features) {
    throw usage_error(fmt::format("{} values for {} samples of {} features", values.size(), samples, features),
                      fmt::format("expected {}", samples * features));
  }
  return assembled(DenseMatrix<double>{samples, features, copied(values)}, labels, taxonomy, feature_names);
}

Dataset sparse_dataset(std::span<const Index> offsets, std::span<const FeatureIndex> columns,
                       std::span<const double> values, Index features, std::span<const std::vector<std::string>> labels,
                       const Taxonomy& taxonomy, std::span<const std::string> feature_names) {
  const Index samples = std::ssize(labels);
  if (std::ssize(offsets) != samples + 1 || offsets[0] != 0 || offsets.back() != std::ssize(values) ||
      columns.size() != values.size()) {
    throw usage_error(fmt::format("{} offsets, {} columns and {} values for {} samples", offsets.size(), columns.size(),
                                  values.size(), samples),
                      "expected an offset per sample and one more, from 0 to the number of values");
  }
  for (Index s = 0; s < samples; ++s) {
    const auto at = static_cast<std::size_t>(s);
    FeatureIndex last = -1;
    if (offsets[at] > offsets[at + 1] || offsets[at + 1] > std::ssize(values)) {
      throw usage_error(fmt::format("the offsets of sample {} fall", s), "expected them to rise");
    }
    for (Index k = offsets[at]; k < offsets[at + 1]; ++k) {
      const FeatureIndex column = columns[static_cast<std::size_t>(k)];
      if (column <= last || column >= features) {
        throw usage_error(fmt::format("sample {} has column {} after {}", s, column, last),
                          fmt::format("expected columns that ascend, below {}", features));
      }
      last = column;
    }
  }
  return assembled(SparseMatrix<double>{samples, features, copied(offsets), copied(columns), copied(values)}, labels,
                   taxonomy, feature_names);
}

}  // namespace clade
