#pragma once

#include <clade/parameters.h>

#include "classify/linear/hinge_dual.h"
#include "classify/local/node_solver.h"

namespace clade {

enum class Multiclass {
  kOneVsRest,      // each child against its siblings
  kOneVsOne,       // each pair of children; votes
  kCrammerSinger,  // all children in one problem
};

inline constexpr Choice<Multiclass> kMulticlassWords[] = {{Multiclass::kOneVsRest, "one-vs-rest"},
                                                          {Multiclass::kOneVsOne, "one-vs-one"},
                                                          {Multiclass::kCrammerSinger, "crammer-singer"}};
inline constexpr Choice<Loss> kLossWords[] = {{Loss::kHinge, "hinge"}, {Loss::kSquaredHinge, "squared-hinge"}};

struct SvmNodeOptions {
  Multiclass multiclass = Multiclass::kOneVsRest;
  double c = 1;
  Loss loss = Loss::kHinge;
  double bias = 1;
  double tolerance = 0.1;
  int iterations = 1000;
};

template <class V>
void describe(V& v, SvmNodeOptions& o) {
  v("multiclass", o.multiclass, kMulticlassWords, "how the children of a node are told apart");
  v("c", o.c, positive(), "weight of the training errors against the size of the weights");
  v("loss", o.loss, kLossWords, "loss of a training error (one-vs-rest)");
  v("bias", o.bias, nonnegative(), "value of a constant feature; 0: none (one-vs-one has a free bias)");
  v("tolerance", o.tolerance, positive(), "how closely the optimality conditions must be met");
  v("iterations", o.iterations, at_least(1), "largest number of passes over a node's samples");
}

// Support vector machines. One-vs-rest and Crammer-Singer treat the bias as the weight of a constant feature;
// one-vs-one has a free bias and a tolerance of at most 0.001, as in the protocol of the feature-selection papers. A
// sample with several children is positive for each (one-vs-rest), left out of a pair if it belongs to both
// (one-vs-one), or shared out among them (Crammer-Singer).
class SvmNode : public NodeSolver {
 public:
  SvmNode(const SvmNodeOptions& options, std::uint64_t seed) : options_(options), seed_(seed) {}
  NodeSolution solve(const NodeTable& table, const TrainingRows& rows, std::span<const double> weight,
                     std::uint64_t stream, Context& ctx) const override;
  Index parts(const NodeTable& table) const override;
  NodeSolution solve_part(const NodeTable& table, const TrainingRows& rows, std::span<const double> weight,
                          std::uint64_t stream, Index part, Context& ctx) const override;
  bool takes_made_rows() const override { return options_.multiclass == Multiclass::kOneVsRest; }
  bool takes_blocks() const override { return takes_blocks(options_); }
  static bool takes_blocks(const SvmNodeOptions& options) {
    return options.multiclass == Multiclass::kOneVsRest && options.loss == Loss::kSquaredHinge;
  }
  NodeSolution solve_blocks(const NodeTable& table, RowBlocks blocks, Context& ctx) const override;

 private:
  HingeOptions hinge_options(std::uint64_t stream) const;
  NodeSolution one_vs_rest(const NodeTable& table, const TrainingRows& rows, std::span<const double> weight,
                           std::uint64_t stream, Context& ctx) const;
  NodeSolution one_vs_one(const NodeTable& table, const TrainingRows& rows, std::span<const double> weight,
                          Context& ctx) const;
  NodeSolution crammer_singer(const NodeTable& table, const TrainingRows& rows, std::span<const double> weight,
                              std::uint64_t stream, Context& ctx) const;

  SvmNodeOptions options_;
  std::uint64_t seed_;
};

}  // namespace clade
