#pragma once

#include <clade/context.h>

#include <memory>
#include <optional>
#include <vector>

#include "select/recursive/problem.h"
#include "select/recursive/system.h"

namespace clade {

using Weights = std::vector<Matrix>;  // W of every internal node

// The part of a coupling in a few columns of all weights, kept up to date while these change node by node.
class ColumnCoupling {
 public:
  virtual ~ColumnCoupling() = default;
  // R of node i in these columns.
  virtual void right(std::size_t i, Matrix& r) = 0;
  // Called after these columns of node i have changed.
  virtual void changed(std::size_t i, const Matrix& change) = 0;
  // The coupling's part of the objective.
  virtual double value() const = 0;
};

// What a method of the coupled family adds to   sum_i ||X_i W_i - Y_i||^2 + lambda ||W_i||_{2,1}:
// terms of a node's system and of the objective. The solver does the rest.
class CoupledMethod {
 public:
  virtual ~CoupledMethod() = default;

  // Called once before the first iteration; both arguments must outlive the method.
  virtual void prepare(const Problem& problem, Context& ctx);
  // May move the initial weights, after the penalty's first bound was made from them.
  virtual void move_start(Weights& w) const;
  // The nodes whose weights add_terms() of node i reads. The relation must be symmetric.
  virtual std::vector<std::size_t> neighbours(std::size_t i) const;
  // Adds to the system of node i; `w` holds the newest weights of all nodes.
  virtual void add_terms(std::size_t i, const Weights& w, SystemTerms& terms) const = 0;
  // How much of I the method adds to the matrix of node i, if beside it, it only adds U U' with few columns, and to the
  // right-hand side. Matrices can then be factored before other nodes are solved. Nothing if it adds more.
  virtual std::optional<double> multiple_of_identity(std::size_t /*i*/) const { return std::nullopt; }
  // Does the coupling only add to right-hand sides, to each column by the same columns of other nodes? An iteration's
  // matrices are fixed before its nodes are solved, so the columns can then be solved apart from each other. A method
  // may deny it if this would cost more.
  virtual bool is_apart_in_columns() const { return false; }
  // If so: its part in columns [first, first + count) at `w`.
  virtual std::unique_ptr<ColumnCoupling> in_columns(const Weights& w, Index first, Index count) const;
  // Called after the weights of node i have changed.
  virtual void node_changed(std::size_t i, const Matrix& before, const Matrix& after);
  // The coupling's part of the objective.
  virtual double value(const Weights& w) const = 0;
  // Are there no terms between nodes, and value() is 0? Of such a method nothing but prepare(), move_start(),
  // add_terms() and fit() need be called, and of a node's terms, only its own weights matter: every node may go its own
  // way.
  virtual bool is_uncoupled() const { return false; }
  // Called before the nodes are solved in an iteration; `iteration` counts from 0. Where a run goes on that was
  // interrupted, the first call has the number at which it does.
  virtual void begin_iteration(int iteration, const Weights& w, Context& ctx);
  // The node's own part of the objective without the penalty; by default ||X W - Y||^2.
  virtual double fit(std::size_t i, const Matrix& w) const;

 protected:
  const Problem* problem_ = nullptr;
  Context* ctx_ = nullptr;
};

// ||X W - Y||^2 of a node.
double squared_error(const NodeProblem& node, const Matrix& w, Context& ctx);

}  // namespace clade
