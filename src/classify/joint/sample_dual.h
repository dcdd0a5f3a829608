#pragma once

#include <clade/types.h>

#include <span>
#include <vector>

#include "classify/joint/attribute_weights.h"
#include "classify/joint/feature_mask.h"
#include "classify/joint/joint_problem.h"

namespace clade {

// A dual variable of a sample: a pair of a class that it has and one that it does not have. alpha = loss x share, and
// the shares of a sample sum to at most its cost.
struct PairVariable {
  std::int32_t own;
  std::int32_t other;
  double loss;
  double share;
};

// The variables of a sample over numbers of their own: a step then touches a few short arrays, however many classes and
// attributes there are. Attributes that the same of these classes have are a group: they gain the same in every step.
// Stays right while variables are taken away by drop_zeros().
struct LocalPairs {
  struct Class {
    std::int32_t begin = 0;  // in groups and values
    std::int32_t end = 0;
  };
  struct Pair {
    std::int32_t own;
    std::int32_t other;
  };
  std::vector<std::int32_t> attributes;   // without those that all classes have alike; ascending, or group by group
  std::vector<std::int32_t> group_of;     // of each attribute
  std::vector<std::int32_t> group_begin;  // group by group: where its attributes begin, and where the last end
  std::vector<double> group_size;         // padded to full lanes with zeros
  std::vector<Class> classes;
  std::vector<std::int32_t> groups;  // of the classes, one after the other
  std::vector<double> values;        // of the attributes in them
  std::vector<Pair> pairs;           // of the variables

  std::size_t group_count() const { return group_begin.size() - 1; }
  std::span<const std::int32_t> group(std::size_t g) const {
    const auto begin = static_cast<std::size_t>(group_begin[g]);
    return std::span(attributes).subspan(begin, static_cast<std::size_t>(group_begin[g + 1]) - begin);
  }
};

// The part of the dual that belongs to one sample, over some of its pairs, with everything else fixed:
//
//   max over b >= 0, sum b <= c of  sum_p b_p Delta_p - 1/2 || w_0 + sum_p b_p Delta_p (Lambda(y_p) - Lambda(r_p)) (x)
//   x ||^2
//
// The gradient with respect to b_p is H_p = Delta_p (1 - F(x, y_p) + F(x, r_p)). Solved by exact steps along pairs of
// variables, the one with the largest H against the positive one with the smallest H; the slack c - sum b takes part
// with H = 0.
class SampleDual {
 public:
  struct Layout {
    bool is_masked = false;    // with lists of features per attribute, samples have a square per attribute
    bool is_by_group = false;  // local attributes lie group by group
  };
  explicit SampleDual(const JointProblem& problem) : SampleDual(problem, Layout{}) {}
  SampleDual(const JointProblem& problem, Layout layout);

  struct Outcome {
    double violation = 0;  // largest H minus smallest H, before the first step
    double linear = 0;     // change of sum b Delta
    double square = 0;     // change of ||w||^2
    int steps = 0;
  };
  // What one sample's problem is made of, apart from its variables.
  struct Sample {
    SampleSquare square;
    double cost = 0;
    double tolerance = 0;  // steps until the violation is at most this
    int most_steps = 0;
  };

  void arrange(std::span<const PairVariable> variables, LocalPairs& local);
  // All attributes that arrange() may name, in any order, in less time.
  void attributes_of(std::span<const PairVariable> variables, std::vector<std::int32_t>& attributes);
  // `output(z)` = <w_z, x> is asked for all local attributes. Afterwards, changes() has the changes to w, as factors of
  // x. Variables may have become 0.
  template <class Output>
  Outcome solve(std::vector<PairVariable>& variables, const LocalPairs& local, const Output& output,
                const Sample& sample) {
    output_.assign(local.group_size.size(), 0);
    for (std::size_t k = 0; k < local.attributes.size(); ++k) {
      output_[static_cast<std::size_t>(local.group_of[k])] += static_cast<double>(output(local.attributes[k]));
    }
    const Outcome outcome = iterate(variables, local, sample);
    list_changes(local, outcome);
    return outcome;
  }
  // The same with the sums of outputs over groups: `sum(attributes)`. changes() has nothing, group_changes() has all.
  template <class Sum>
  Outcome solve_by_group(std::vector<PairVariable>& variables, const LocalPairs& local, const Sum& sum,
                         const Sample& sample) {
    output_.assign(local.group_size.size(), 0);
    for (std::size_t g = 0; g < local.group_count(); ++g) output_[g] = sum(local.group(g));
    changes_.clear();
    return iterate(variables, local, sample);
  }
  // In the order of the local attributes, without zeros.
  std::span<const AttributeChange> changes() const { return changes_; }
  // What each w of a group has gained, as a factor of x.
  std::span<const double> group_changes() const { return coefficient_; }
  // Takes away the variables that are 0.
  static void drop_zeros(std::vector<PairVariable>& variables, LocalPairs& local);

 private:
  std::int32_t local_class(std::int32_t y);
  void assign_groups();
  void collect_attributes(LocalPairs& local);
  void order_by_group(LocalPairs& local);
  void list_groups(LocalPairs& local);
  // How many times ||x||^2 counts in each group.
  const double* group_sizes(const LocalPairs& local, SampleSquare square);
  Outcome iterate(std::vector<PairVariable>& variables, const LocalPairs& local, const Sample& sample);
  void list_changes(const LocalPairs& local, const Outcome& outcome);
  void compute_gradients(std::span<const PairVariable> variables, const LocalPairs& local);
  void add_direction(const LocalPairs& local, const LocalPairs::Pair& pair, double factor);

  const JointProblem& problem_;
  bool is_by_group_;
  bool has_equal_values_ = true;           // all attributes of a class have the same value,
  bool has_one_value_ = true;              // and of all classes
  std::vector<std::int32_t> class_place_;  // class -> local class, or -1
  std::vector<std::int32_t> used_classes_;
  std::vector<std::uint64_t> is_used_;  // attributes, as bits
  std::vector<std::int32_t> group_;     // attribute -> group; 0: in none
  struct Group {
    std::int32_t classes = 0;   // that have its attributes
    std::int32_t last = -1;     // the last class that has some of them,
    std::int32_t split_to = 0;  // and the group of these
    std::int32_t place = -1;    // its number in the end
  };
  std::vector<Group> groups_;
  std::vector<std::int32_t> ordered_;  // attributes
  std::vector<double> score_;          // by local class
  // By group, padded to full lanes with zeros.
  std::vector<double> output_;       // sum over its attributes
  std::vector<double> coefficient_;  // what each w of the group has gained, as a factor of x
  std::vector<double> direction_;
  std::vector<double> difference_;   // of the attributes of two classes
  std::vector<double> masked_size_;  // with lists of features: the share of ||x||^2 that the group sees
  std::vector<double> gradient_;     // per variable
  std::vector<AttributeChange> changes_;
};

// Is the sample's cost used up by its shares?
inline bool is_exhausted(double sum, double cost) {
  return sum >= cost * (1 - 1e-12);
}

}  // namespace clade
