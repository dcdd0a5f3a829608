#pragma once

#include <clade/context.h>
#include <clade/parameters.h>

#include <cmath>
#include <deque>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "classify/linear/training_rows.h"
#include "classify/model_body.h"
#include "core/byte_string.h"

namespace clade {

enum class WeightPrecision { kFloat, kDouble };

struct PackOptions {
  // Share of an output's squared weights that may be dropped, smallest weights first; NaN: depends on the data.
  double prune = std::numeric_limits<double>::quiet_NaN();
  WeightPrecision precision = WeightPrecision::kFloat;
  double sparse_prune = 0.15;  // used for sparse data if prune is NaN; 0 is used for dense data

  // Sparse data has many features of little weight each.
  double prune_for(const Dataset& data) const {
    return !std::isnan(prune) ? prune : is_sparse(data.matrix()) ? sparse_prune : 0;
  }
};

inline constexpr Choice<WeightPrecision> kWeightPrecisionWords[] = {{WeightPrecision::kFloat, "float"},
                                                                    {WeightPrecision::kDouble, "double"}};
template <class V>
void describe(V& v, PackOptions& o) {
  v("prune", o.prune, between(0, 0.9),
    "share of a weight vector's squared length that may be dropped to save space; auto: 0 for dense data; for sparse "
    "data 0.15 (path-svm 0.03; flat-svm, hierarchical-svm and online learners 0)");
  v("weights", o.precision, kWeightPrecisionWords, "number type in which weights are stored");
}

// The remaining weights of one output: columns, ascending, and values.
using SparseOutput = std::vector<std::pair<std::int32_t, double>>;

// Drops the smallest weights that together make up at most `prune` of the sum of squares.
SparseOutput pruned(SparseOutput weights, double prune);
SparseOutput pruned(const std::vector<double>& weights, double prune);
std::vector<SparseOutput> pruned(const LinearWeights& weights, double prune);
// The same in place: dropped weights become 0.
void prune_in_place(LinearWeights& weights, double prune);

// The arrays that the LinearOutputs of a model point into. Their addresses do not change when more are packed.
class PackedWeights {
 public:
  // Turns solved weights into the form that prediction uses; columns are positions in `features`. Weights that do not
  // fit into floats are kept as doubles, whatever the precision asked for. Throws Error (kInput) for weights that are
  // not finite.
  LinearOutputs pack(const std::vector<SparseOutput>& weights, const std::vector<double>& bias,
                     const std::vector<FeatureIndex>& features, WeightPrecision precision);
  // The same for weights that are known by column, with all threads. row(column, weights) sets the outputs, ascending,
  // and their weights; it is called twice, from any thread. There are as many outputs as biases.
  using ColumnWeights = std::function<void(Index column, SparseOutput& weights)>;
  LinearOutputs pack_columns(const ColumnWeights& row, const std::vector<double>& bias,
                             const std::vector<FeatureIndex>& features, WeightPrecision precision, Context& ctx);

  // The same as bytes: count, features, offsets, bias, and then outputs and weights, each with the number of its type.
  static void put(ByteWriter& bytes, const LinearOutputs& packed);
  LinearOutputs restored(ByteReader& bytes);

 private:
  struct Arrays {
    std::vector<FeatureIndex> features;
    std::vector<std::uint32_t> offsets;
    // Who fills them is the first to touch their memory.
    Buffer<std::uint16_t> outputs16;
    Buffer<std::uint32_t> outputs32;
    Buffer<float> weights32;
    Buffer<double> weights64;
    std::vector<double> bias;

    // `next`: where the weights of each column begin, and the end.
    void set_columns(const std::vector<FeatureIndex>& all, const std::vector<Index>& next, bool is_narrow,
                     WeightPrecision precision);
    void put(Index place, std::size_t output, double value) {
      outputs32.size() == 0 ? void(outputs16[place] = static_cast<std::uint16_t>(output))
                            : void(outputs32[place] = static_cast<std::uint32_t>(output));
      weights64.size() == 0 ? void(weights32[place] = static_cast<float>(value)) : void(weights64[place] = value);
    }
    LinearOutputs outputs(bool is_narrow, WeightPrecision precision) const;
  };
  std::deque<Arrays> arrays_;
};

}  // namespace clade
