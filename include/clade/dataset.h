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

class Context;

// All values, row by row.
template <class T>
struct DenseMatrix {
  Index rows = 0;
  Index columns = 0;
  Buffer<T> values;  // rows * columns

  std::span<const T> row(Index r) const { return {values.data() + r * columns, static_cast<std::size_t>(columns)}; }
};

// Compressed rows; the columns of a row ascend without repeats. Explicit zeros are allowed.
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

enum class Storage { kAuto, kDense, kSparse, kOfFile };
enum class Precision { kDouble, kFloat };

// How values are scaled for a method; each method says which of these it accepts, and what `auto` means for it.
enum class Scale {
  kAuto,
  kNone,
  kStandard,  // every feature to mean 0 and variance 1 (population); constant features to 0
  kMinMax,    // every feature to [0, 1]; constant features to 0
  kUnit,      // every sample to length 1; sparse data stays sparse
};

// A set of labels for each sample, as offsets into one array.
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
// The counted words of raw text, kept so that a vocabulary can be learnt again from some of the samples.
struct WordCollection;

// The replacement for missing values, per feature; empty: 0 for all features.
using Replacement = std::vector<double>;

// Which samples each process of a team has. The others are there, too, with their labels, but without values.
struct RowParts {
  std::vector<Index> first;  // sample of each process; at the end, the number of all samples
  int own = 0;               // the number of this process
};

// Samples with features and label sets over a taxonomy. A Dataset is a light handle: copies and views (folds, the
// samples below a node) share one immutable body and copy no feature values.
class Dataset {
 public:
  struct Parts {
    FeatureMatrix features;
    LabelSets labels;  // nodes of `taxonomy`, ascending within a sample, none an ancestor of another
    std::optional<Taxonomy> taxonomy;
    std::vector<std::string> feature_names;  // empty: features have no names
    std::vector<std::string> sample_names;   // empty: samples have no names
    std::vector<Index> row_numbers;          // of samples in their file, where rows of it were left out; else empty
    std::shared_ptr<const TextVectorizer> vectorizer;
    std::shared_ptr<const WordCollection> words;     // null: not kept, or no raw text
    std::shared_ptr<const Replacement> replacement;  // that was used for missing values; null: none was
  };
  // Throws Error (kInternal) if the parts do not fit together.
  explicit Dataset(Parts parts);

  Index samples() const;
  Index features() const;
  bool is_view() const { return rows_ != nullptr; }

  const Taxonomy& taxonomy() const;
  std::span<const NodeId> labels(Index sample) const;

  // The whole matrix; row r of this dataset is row source_row(r) of the matrix.
  const FeatureMatrix& matrix() const;
  Index source_row(Index sample) const { return rows_ ? (*rows_)[static_cast<std::size_t>(sample)] : sample; }

  // Calls visit(feature, value) for the stored values of a row (all values if dense), features ascending.
  template <class Visit>
  void for_each_value(Index sample, Visit&& visit) const;

  bool has_feature_names() const;
  bool has_sample_names() const;
  // The name, or the 0-based number where there are no names: that of a sample is the number of its row in the file.
  std::string feature_name(FeatureIndex feature) const;
  std::string sample_name(Index sample) const;
  Index sample_number(Index sample) const;
  std::span<const std::string> feature_names() const;
  const std::shared_ptr<const TextVectorizer>& vectorizer() const;
  const std::shared_ptr<const WordCollection>& words() const;
  const std::shared_ptr<const Replacement>& replacement() const;
  // Null: all samples have their values.
  const std::shared_ptr<const RowParts>& row_parts() const;

  // A view of some samples, in the given order; a sample may occur more than once. O(number of rows given).
  Dataset subset(std::vector<Index> rows) const;
  // The same samples with other features: `parts` has a row per sample of this dataset; its labels, taxonomy and sample
  // names are ignored.
  Dataset with_features(Parts parts) const;
  // The same data, with a record of how missing values were, or are to be, replaced.
  Dataset with_replacement(std::shared_ptr<const Replacement> replacement) const;
  // The same data, with a record of which rows are here. Views of such data cannot be made.
  Dataset with_row_parts(std::shared_ptr<const RowParts> parts) const;
  // The same samples with labels over another taxonomy: `labels` has an entry per sample of this dataset. Feature
  // values are shared, not copied.
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

// Data sets from arrays in memory, which are copied. `labels` has the names of each sample's classes, which are nodes
// of `taxonomy`; ancestors of another label of the same sample are left out. `feature_names` may be empty. They throw
// Error (kInput) that names the sample if sizes do not fit, a class is unknown, or columns do not ascend.
//
// Dense: samples x features values, sample by sample.
Dataset dense_dataset(std::span<const double> values, Index features, std::span<const std::vector<std::string>> labels,
                      const Taxonomy& taxonomy, std::span<const std::string> feature_names = {});
// Compressed rows: sample s has the columns and values from offsets[s] up to offsets[s + 1].
Dataset sparse_dataset(std::span<const Index> offsets, std::span<const FeatureIndex> columns,
                       std::span<const double> values, Index features, std::span<const std::vector<std::string>> labels,
                       const Taxonomy& taxonomy, std::span<const std::string> feature_names = {});

// Does any sample have more than one label?
bool has_several_labels(const Dataset& data);

// Samples with a label at or below the node, in their order.
std::vector<Index> samples_below(const Dataset& data, NodeId node);

// Gives every inner node that is a label a miscellaneous leaf, and moves its samples there: all labels are then leaves.
Dataset with_leaf_labels(const Dataset& data);

// Compares everything that a file can hold: values (dense and sparse by value; missing equals missing), labels by name,
// taxonomy by names and edges, feature and sample names. Returns the first difference in words, or nothing.
std::optional<std::string> difference(const Dataset& a, const Dataset& b);

// 128 bits, in hexadecimal, of values as they are stored, labels, taxonomy and names.
std::string fingerprint(const Dataset& data, Context& ctx);
// The same of what every process knows where each has some of the rows: labels, taxonomy and features, but no values.
std::string shared_fingerprint(const Dataset& data, Context& ctx);

}  // namespace clade
