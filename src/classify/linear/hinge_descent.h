#pragma once

#include <span>
#include <vector>

#include "classify/linear/hinge_dual.h"
#include "core/random.h"

namespace clade {

// The state of the descent in the dual of one two-class problem (hinge_dual.h has the formulas) over some of the rows,
// its members; others can join later, and members can leave. `rows`, `squares` (of the rows' lengths, without the
// constant feature) and `options` must outlive it.
class HingeDescent {
 public:
  struct Member {
    std::int32_t row = 0;
    std::int32_t entries = 0;
    const std::int32_t* columns = nullptr;
    const double* values = nullptr;
    double bound = 0;
    double ridge = 0;
    double diagonal = 0;
    double alpha = 0;
    std::int8_t sign = 1;
  };

  HingeDescent(const TrainingRows& rows, std::span<const double> squares, const HingeOptions& options);

  // The row must not be a member. `weight` is a factor of C, `alpha` the initial value.
  void join(Index row, std::int8_t sign, double weight, double alpha = 0);
  // Members for which leaves(member) holds are left out from now on; what they gave to the weights is taken back.
  template <class Leaves>
  void leave_if(Leaves&& leaves) {
    for (const Member& member : members_) {
      if (member.alpha != 0 && leaves(member)) add(member, -member.alpha * member.sign);
    }
    std::erase_if(members_, leaves);
    renew_order();
  }

  // Passes until the projected gradients of all members spread no wider than the tolerance, `most` at most. Gives the
  // number of passes; has_converged() says which of the two ended it, lowest() and highest() are the projected
  // gradients of the last pass.
  int solve(double tolerance, int most, Context& ctx);
  bool has_converged() const { return has_converged_; }
  double lowest() const { return lowest_; }
  double highest() const { return highest_; }

  const std::vector<Member>& members() const { return members_; }
  const std::vector<double>& w() const { return w_; }
  double bias() const { return bias_ * options_->bias; }  // of the decision
  double decision(Index row) const { return decision(member_of(row)); }
  // Half the squared length of the weights, plus the loss of the members, and how far the dual is below it.
  HingeResult result() &&;

 private:
  double pass();
  Member member_of(Index row) const;
  double decision(const Member& member) const;
  void add(const Member& member, double amount);
  void renew_order();
  void activate_all();
  // Swaps the member with the last active one, which is visited next.
  void leave_out(std::size_t& place) {
    std::swap(order_[place], order_[--active_]);
    --place;
  }

  const TrainingRows* rows_;
  std::span<const double> squares_;
  const HingeOptions* options_;
  RandomStream random_;
  std::vector<double> w_;
  double bias_ = 0;  // weight of the constant feature
  std::vector<Member> members_;
  std::vector<std::int32_t> order_;  // of members that can move
  std::size_t active_ = 0;
  double highest_before_ = 0;
  double lowest_before_ = 0;
  double highest_ = 0;
  double lowest_ = 0;
  bool has_converged_ = false;
};

// The squared lengths of the rows.
std::vector<double> squared_lengths(const TrainingRows& rows);

}  // namespace clade
