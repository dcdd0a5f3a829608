#pragma once

#include <clade/context.h>
#include <clade/error.h>

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "select/recursive/exact.h"
#include "select/recursive/memory_plan.h"
#include "select/recursive/method.h"
#include "select/recursive/solver.h"
#include "select/selector.h"

namespace clade {

enum class SolverKind {
  kIrls,   // iterative reweighting, as published
  kExact,  // then on to the minimum, with a duality gap
};
enum class LambdaChoice { kGiven, kCrossValidation };
enum class CoupledLoss { kSquares, kLogistic };

// Parameters that all coupled methods share.
struct CoupledOptions {
  double lambda = 10;
  CoupledLoss loss = CoupledLoss::kSquares;
  int iterations = 10;
  double tolerance = 0;  // stop when the objective falls by less than this share; 0: run all `iterations`
  Start start = Start::kOnes;
  bool as_published = false;
  SolverKind solver = SolverKind::kIrls;
  double gap = 1e-6;  // relative gap at which the exact solver stops
  int path = 0;       // values of lambda to follow; 0: only the one given
  double path_ratio = 1e-3;
  LambdaChoice select_lambda = LambdaChoice::kGiven;
  int cv_folds = 5;

  bool needs_exact() const { return solver == SolverKind::kExact || path > 0 || select_lambda != LambdaChoice::kGiven; }
};

// What distinguishes a method, and quirks of its published program that change its numbers.
struct CoupledHabits {
  bool has_own_loss = false;             // it has a loss of its own, and so no choice of one
  double smallest_norm = 1e-8;           // smaller row norms count as this much in the penalty
  bool root_starts_first = false;        // a random start draws the root's weights before the others'
  bool fixes_penalty_published = false;  // as published, the penalty stays as the start sets it
  bool ranks_padding_published = false;  // as published, padding columns count in the ranking
  bool orders_by_id_published = false;   // as published, nodes are solved in the order of the input, the root last
};

// A selector of the coupled family: sparse regression at every internal node, and a coupling between nodes. What all of
// them share (parameters of the solver, start, path of lambdas, cross-validation, exact solution, memory) is here; a
// method adds its own parameters and its coupling, and overrides what is specific to it. To add one: a file beside this
// one with a class derived from it, and its row in selectors.cpp.
class CoupledSelector : public Selector {
 public:
  // `lambda`, the method's own parameters, and those of the solver.
  ParameterTable parameters() final;
  std::vector<Idle> idle_parameters() const final;
  std::vector<std::string_view> penalties() const override { return {"lambda"}; }
  void check() const final;
  bool takes_row_parts() const final { return shares_nodes(); }
  FeatureRanking select(const SelectionInput& input, Context& ctx) final;

 protected:
  explicit CoupledSelector(std::string_view name, const CoupledHabits& habits = {}) : name_(name), habits_(habits) {}

  virtual void describe_own(ParameterTable& /*v*/) {}
  // Sets parameters whose values were left to the data.
  virtual void settle(const Dataset& /*data*/) {}
  // The coupling; the loss too, if it is the method's own.
  virtual std::unique_ptr<CoupledMethod> make_method() const = 0;
  // The features x features matrices that the method keeps.
  virtual KeptMatrices kept_matrices(const SelectionInput& /*input*/) const { return {}; }
  // Does the coupling need of other nodes only their weights? Processes can then share the nodes.
  virtual bool can_share_nodes() const { return false; }
  // Throws Error (kInput) if the problem of a node, given the others, is not convex.
  virtual void require_convex() const {}
  // The error for an objective without a minimum; nothing if there always is one.
  virtual std::optional<Error> no_minimum() const { return std::nullopt; }
  // The explanation for indefinite systems.
  virtual std::string_view why_indefinite() const { return "parameters of such size are lost to rounding"; }
  // What the features of node i are ranked by: the norms of their weights.
  virtual std::vector<double> ranking_norms(const Problem& problem, const Weights& w, std::size_t i) const;
  // The features that node i shares with those above it, best first; empty if the method cannot tell.
  virtual std::vector<FeatureIndex> common_features(const Problem& /*problem*/, const Weights& /*w*/,
                                                    std::size_t /*i*/) const {
    return {};
  }

  // For require_convex(): says that the method cannot be solved exactly, and why.
  Error not_exact(std::string_view why, std::string_view expected) const;
  Error leaves_samples_out() const;  // the same, because its loss leaves samples out
  std::string_view name() const { return name_; }

  CoupledOptions common_;

 private:
  void rank_at_lambda(const SelectionInput& input, Problem& problem, FeatureRanking& result, Context& ctx) const;
  bool can_start_from_zero(const SelectionInput& input, const Problem& problem, CoupledMethod& method,
                           Context& ctx) const;
  void rank_by_path(const SelectionInput& input, const Problem& problem, FeatureRanking& result, Context& ctx) const;
  void cross_validate(const SelectionInput& input, const Problem& problem, FeatureRanking& result, Context& ctx);
  std::vector<double> lambdas_of(const Problem& problem, int values) const;
  std::unique_ptr<CoupledMethod> method_with_loss() const;
  std::vector<std::size_t> order(const Problem& problem) const;
  ExactOptions exact_options(const Problem& problem) const;
  // The exact solver, paths and other losses look at the data of all nodes in turn.
  bool shares_nodes() const {
    return can_share_nodes() && !common_.needs_exact() && common_.loss == CoupledLoss::kSquares;
  }
  NodeOwners owners_of(const SelectionInput& input, Context& ctx) const;
  void check_memory(const SelectionInput& input, const NodeOwners& owners, Context& ctx) const;
  SolverResult solve_or_explain(Problem& problem, CoupledMethod& method, Context& ctx) const;
  void note_trouble(const Problem& problem, const SolverResult& solved, FeatureRanking& result) const;

  std::string_view name_;
  CoupledHabits habits_;
};

}  // namespace clade
