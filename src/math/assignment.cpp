#include "math/assignment.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/check.h"

namespace clade {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr Index kNone = -1;

class AssignmentSolver {
 public:
  AssignmentSolver(std::span<const double> costs, Index rows, Index columns)
      : costs_(costs),
        columns_(static_cast<std::size_t>(columns)),
        row_price_(static_cast<std::size_t>(rows), 0.0),
        column_price_(columns_, 0.0),
        column_of_(static_cast<std::size_t>(rows), kNone),
        row_of_(columns_, kNone),
        distance_(columns_),
        from_(columns_),
        open_(columns_) {}

  std::vector<Index> solve() {
    for (std::size_t row = 0; row < column_of_.size(); ++row) add(row);
    return std::move(column_of_);
  }

 private:
  // Dijkstra's search from `row` over reduced costs, which are never negative, until it reaches a free column.
  void add(std::size_t row) {
    std::fill(distance_.begin(), distance_.end(), kInfinity);
    for (std::size_t k = 0; k < columns_; ++k) open_[k] = k;
    std::size_t open = columns_;
    std::size_t at = row;
    double reached = 0;
    std::size_t column = 0;
    do {
      const std::size_t nearest = relax(at, reached, open);
      column = open_[nearest];
      reached = distance_[column];
      std::swap(open_[nearest], open_[--open]);  // closed columns stand behind the open ones
      if (row_of_[column] != kNone) at = static_cast<std::size_t>(row_of_[column]);
    } while (row_of_[column] != kNone);

    // Updates the prices of all that the search has passed, so that reduced costs along all shortest paths become 0.
    row_price_[row] += reached;
    for (std::size_t k = open; k < columns_; ++k) {
      const std::size_t passed = open_[k];
      const double nearer = reached - distance_[passed];
      column_price_[passed] -= nearer;
      if (row_of_[passed] != kNone) row_price_[static_cast<std::size_t>(row_of_[passed])] += nearer;
    }
    turn_round(column, row);
  }

  // Follows the edges of a row at distance `reached`; returns the nearest of the open columns.
  std::size_t relax(std::size_t row, double reached, std::size_t open) {
    const double* cost = costs_.data() + row * columns_;
    const double base = reached - row_price_[row];
    std::size_t nearest = 0;
    double least = kInfinity;
    for (std::size_t k = 0; k < open; ++k) {
      const std::size_t column = open_[k];
      const double through = base + cost[column] - column_price_[column];
      if (through < distance_[column]) {
        distance_[column] = through;
        from_[column] = row;
      }
      // On ties a free column wins, because it ends the search.
      const double here = distance_[column];
      if (here < least || (here == least && row_of_[column] == kNone)) {
        least = here;
        nearest = k;
      }
    }
    return nearest;
  }

  // Along the path found, gives each row the next column.
  void turn_round(std::size_t column, std::size_t start) {
    for (;;) {
      const std::size_t row = from_[column];
      row_of_[column] = static_cast<Index>(row);
      const Index before = column_of_[row];
      column_of_[row] = static_cast<Index>(column);
      if (row == start) return;
      column = static_cast<std::size_t>(before);
    }
  }

  std::span<const double> costs_;
  std::size_t columns_;
  std::vector<double> row_price_;
  std::vector<double> column_price_;
  std::vector<Index> column_of_;  // by row
  std::vector<Index> row_of_;     // by column
  std::vector<double> distance_;  // by column, of the search
  std::vector<std::size_t> from_;
  std::vector<std::size_t> open_;
};

}  // namespace

std::vector<Index> least_cost_assignment(std::span<const double> costs, Index rows, Index columns) {
  CLADE_CHECK(rows >= 0 && rows <= columns);
  CLADE_CHECK(std::ssize(costs) == rows * columns);
  CLADE_CHECK(std::all_of(costs.begin(), costs.end(), [](double cost) { return std::isfinite(cost); }));
  return AssignmentSolver(costs, rows, columns).solve();
}

}  // namespace clade
