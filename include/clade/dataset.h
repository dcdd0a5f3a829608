#pragma once

#include <clade/error.h>
#include <clade/taxonomy.h>
#include <clade/types.h>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace clade {

// Row-major values, all of them.
template <class T>
struct DenseMatrix {
  Index rows = 0;
  Index columns = 0;
  Buffer<T> values;  // rows * columns

  std::span<const T> row(Index r) const { return {values.data() + r * columns, static_cast<std::size_t>(columns)}; }
};

// Compressed rows; the columns of a row ascend and do not repeat. An explicit zero is allowed.
template <class T>
struct SparseMatrix {
  Index rows = 0;
  Index columns = 0;
  Buffer<Index> offsets;  // rows + 1
  Buffer<FeatureIndex> indices;
  Buffer<T> values;

  Index nonzeros() const { return rows == 0 ? 0 : offsets[rows]; }
  std::span<const FeatureIndex> row_indices(Index r) const {
    return {indices.data() + offsets[r], static_cast<std::size_t>(offsets[r + 1] - offsets[r])};
  }
  std::span<const T> row_values(Index r) const {
    return {values.data() + offsets[r], static_cast<std::size_t>(offsets[r + 1] - offsets[r])};
  }
};

using FeatureMatrix = std::variant<DenseMatrix<double>, DenseMatrix<float>, SparseMatrix<double>, SparseMatrix<float>>;

Index row_count(const FeatureMatrix& matrix);
Index column_count(const FeatureMatrix& matrix);
bool is_sparse(const FeatureMatrix& matrix);
bool is_single_precision(const FeatureMatrix& matrix);

enum class Storage { kAuto, kDense, kSparse };
enum class Precision { kDouble, kFloat };

// How values are prepared for a method; methods say which of these they take, and what `auto` is for them.
enum class Scale {
  kAuto,
  kNone,
  kStandard,  // every feature to mean 0 and variance 1 (population); constant features to 0
  kMinMax,    // every feature to [0, 1]; constant features to 0
  kUnit,      // every sample to length 1; sparse data stay sparse
};

// Per sample a set of labels, as offsets into one array.
struct LabelSets {
  std::vector<Index> offsets{0};  // samples + 1
  std::vector<NodeId> nodes;

  Index samples() const { return static_cast<Index>(offsets.size()) - 1; }
  std::span<const NodeId> of(Index sample) const {
    const auto s = static_cast<std::size_t>(sample);
    return {nodes.data() + offsets[s], static_cast<std::size_t>(offsets[s + 1] - offsets[s])};
  }
};

// How raw text became features: enough to turn new text into the same columns. See clade/text.h.
struct TextVectorizer;
// The words of raw text as they were counted, so that a vocabulary can be learnt again from some of the samples.
struct WordCollection;

// What replaces a missing value of each feature; empty: 0 for all of them.
using Replacement = std::vector<double>;

// Samples with features and label sets over a taxonomy. A Dataset is a light handle: copies and views (folds, the
// samples below a node) share one body and copy no feature value. The body is immutable.
class Dataset {
 public:
  struct Parts {
    FeatureMatrix features;
    LabelSets labels;  // nodes of `taxonomy`, ascending within a sample, none an ancestor of another
    std::optional<Taxonomy> taxonomy;
    std::vector<std::string> feature_names;  // empty: features have no names
    std::vector<std::string> sample_names;   // empty: samples have no names
    std::shared_ptr<const TextVectorizer> vectorizer;
    std::shared_ptr<const WordCollection> words;     // null: not kept, or no raw text
    std::shared_ptr<const Replacement> replacement;  // of missing values that were replaced; null: none were
  };
  // Throws Error (kInternal) where the parts do not fit together.
  explicit Dataset(Parts parts);

  Index samples() const;
  Index features() const;
  bool is_view() const { return rows_ != nullptr; }

  const Taxonomy& taxonomy() const;
  std::span<const NodeId> labels(Index sample) const;

  // The whole matrix; row r of this dataset is its row source_row(r).
  const FeatureMatrix& matrix() const;
  Index source_row(Index sample) const { return rows_ ? (*rows_)[static_cast<std::size_t>(sample)] : sample; }

  // Calls visit(feature, value) for the stored values of a row (all of them if dense), features ascending.
  template <class Visit>
  void for_each_value(Index sample, Visit&& visit) const;

  bool has_feature_names() const;
  bool has_sample_names() const;
  // The name, or the 0-based number where there are no names.
  std::string feature_name(FeatureIndex feature) const;
  std::string sample_name(Index sample) const;
  std::span<const std::string> feature_names() const;
  const std::shared_ptr<const TextVectorizer>& vectorizer() const;
  const std::shared_ptr<const WordCollection>& words() const;
  const std::shared_ptr<const Replacement>& replacement() const;

  // A view of some samples, in the given order; a sample may occur more than once. O(number of rows given).
  Dataset subset(std::vector<Index> rows) const;
  // The same samples with other features: `parts` has a row per sample of this dataset; its labels, taxonomy and sample
  // names are not looked at.
  Dataset with_features(Parts parts) const;
  // The same data that say how missing values were, or are to be, replaced.
  Dataset with_replacement(std::shared_ptr<const Replacement> replacement) const;
  // The same samples with labels over another taxonomy: `labels` has this dataset's number of samples.
  // Feature values are shared, not copied.
  Dataset relabelled(Taxonomy taxonomy, LabelSets labels) const;

 private:
  struct Body;
  std::shared_ptr<const Body> body_;
  std::shared_ptr<const std::vector<Index>> rows_;
};

template <class Visit>
void Dataset::for_each_value(Index sample, Visit&& visit) const {
  const Index r = source_row(sample);
  std::visit(
      [&](const auto& m) {
        if constexpr (requires { m.indices; }) {
          const auto columns = m.row_indices(r);
          const auto values = m.row_values(r);
          for (std::size_t k = 0; k < columns.size(); ++k) visit(columns[k], values[k]);
        } else {
          const auto values = m.row(r);
          for (std::size_t k = 0; k < values.size(); ++k) visit(static_cast<FeatureIndex>(k), values[k]);
        }
      },
      matrix());
}

// Data sets from arrays in memory, which are copied. `labels` has the names of each sample's classes, nodes of
// `taxonomy`; those above another one of the same sample are left out. Throw Error (kInput) that names the sample where
// sizes do not fit, a class is unknown, or columns do not ascend.
//
// Dense: samples x features values, sample by sample.
Dataset dense_dataset(std::span<const double> values, Index features, std::span<const std::vector<std::string>> labels,
                      const Taxonomy& taxonomy);
// Compressed rows: the values of sample s, and their columns, are those from offsets[s] to offsets[s + 1].
Dataset sparse_dataset(std::span<const Index> offsets, std::span<const FeatureIndex> columns,
                       std::span<const double> values, Index features, std::span<const std::vector<std::string>> labels,
                       const Taxonomy& taxonomy);

// Does any sample have more than one label?
bool has_several_labels(const Dataset& data);

// Samples with a label at or below the node, in their order.
std::vector<Index> samples_below(const Dataset& data, NodeId node);

// Gives every labelled inner node a miscellaneous leaf and moves its samples there, so that all labels are leaves.
Dataset with_leaf_labels(const Dataset& data);

// Equal in everything a file can hold: values (dense and sparse compare by value, missing equals missing), labels by
// name, taxonomy by names and edges, feature and sample names. Says what differs first, or nothing.
std::optional<std::string> difference(const Dataset& a, const Dataset& b);

}  // namespace clade
