#include "classify/joint/sample_dual.h"

#include <algorithm>
#include <limits>

namespace clade {
namespace {

constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

}  // namespace

SampleDual::SampleDual(const JointProblem& problem) : problem_(problem) {
  const auto attributes = static_cast<std::size_t>(problem.attributes.count);
  place_.assign(attributes, 0);
  output_.resize(attributes);
  coefficient_.resize(attributes);
  direction_.assign(attributes, 0);
}

void SampleDual::collect(std::span<const PairVariable> variables) {
  used_.clear();
  const auto use = [&](std::int32_t y) {
    for (const std::int32_t z : problem_.attributes.index_of(y)) {
      if (place_[static_cast<std::size_t>(z)] != 0) continue;
      place_[static_cast<std::size_t>(z)] = 1;
      used_.push_back(z);
    }
  };
  for (const PairVariable& v : variables) {
    use(v.own);
    use(v.other);
  }
  for (const std::int32_t z : used_) place_[static_cast<std::size_t>(z)] = 0;
}

std::span<const std::int32_t> SampleDual::attributes_of(std::span<const PairVariable> variables) {
  collect(variables);
  return used_;
}

void SampleDual::compute_gradients(std::span<const PairVariable> variables) {
  const auto score = [&](std::int32_t y) {
    const auto index = problem_.attributes.index_of(y);
    const auto value = problem_.attributes.value_of(y);
    double sum = 0;
    for (std::size_t k = 0; k < index.size(); ++k) sum += value[k] * output_[static_cast<std::size_t>(index[k])];
    return sum;
  };
  std::int32_t last = -1;
  double own = 0;
  for (std::size_t p = 0; p < variables.size(); ++p) {
    if (variables[p].own != last) {
      last = variables[p].own;
      own = score(last);
    }
    gradient_[p] = variables[p].loss * (1 - own + score(variables[p].other));
  }
}

// direction += sign loss (Lambda(own) - Lambda(other)). Attributes with equal values in both classes are skipped:
// adding and subtracting them would leave rounding errors in the weights of common ancestors.
double SampleDual::add_direction(const PairVariable& variable, double sign) {
  const double factor = sign * variable.loss;
  const auto own = problem_.attributes.index_of(variable.own);
  const auto other = problem_.attributes.index_of(variable.other);
  const auto own_value = problem_.attributes.value_of(variable.own);
  const auto other_value = problem_.attributes.value_of(variable.other);
  const auto add = [&](std::int32_t z, double difference) {
    if (difference == 0) return;
    direction_[static_cast<std::size_t>(z)] += factor * difference;
    along_.push_back(z);
  };
  std::size_t i = 0;
  std::size_t k = 0;
  while (i < own.size() || k < other.size()) {
    if (k == other.size() || (i < own.size() && own[i] < other[k])) {
      add(own[i], own_value[i]);
      ++i;
    } else if (i == own.size() || other[k] < own[i]) {
      add(other[k], -other_value[k]);
      ++k;
    } else {
      add(own[i], own_value[i] - other_value[k]);
      ++i;
      ++k;
    }
  }
  return factor;
}

template <class T>
SampleDual::Outcome SampleDual::solve(std::vector<PairVariable>& variables, const T* output, SampleSquare square,
                                      double cost, double tolerance, int most_steps) {
  const double common = square.common();
  changes_.clear();
  collect(variables);
  for (const std::int32_t z : used_) {
    output_[static_cast<std::size_t>(z)] = static_cast<double>(output[z]);
    coefficient_[static_cast<std::size_t>(z)] = 0;
  }
  gradient_.resize(variables.size());
  double sum = 0;
  for (const PairVariable& v : variables) sum += v.share;

  Outcome outcome;
  for (;; ++outcome.steps) {
    compute_gradients(variables);
    double most = 0;
    double least = is_exhausted(sum, cost) ? std::numeric_limits<double>::infinity() : 0;
    std::size_t up = kNone;
    std::size_t down = kNone;
    for (std::size_t p = 0; p < variables.size(); ++p) {
      if (gradient_[p] > most) {
        most = gradient_[p];
        up = p;
      }
      if (variables[p].share > 0 && gradient_[p] < least) {
        least = gradient_[p];
        down = p;
      }
    }
    if (outcome.steps == 0) outcome.violation = std::max(0.0, most - least);
    // The negation also stops if nothing can go down.
    if (!(most - least > tolerance) || outcome.steps == most_steps || least == std::numeric_limits<double>::infinity())
      break;

    double gained = 0;  // of the linear part, per unit of the step
    if (up != kNone) gained += add_direction(variables[up], 1);
    if (down != kNone) gained += add_direction(variables[down], -1);
    double curvature = 0;
    double slope = 0;
    for (const std::int32_t z : along_) {
      double& d = direction_[static_cast<std::size_t>(z)];
      curvature += d * d;
      slope += d * output_[static_cast<std::size_t>(z)];
      // An attribute may be listed twice; the sum is taken once.
      if (d != 0) changes_.push_back({z, d});
      d = 0;
    }
    along_.clear();
    const double longest = down != kNone ? variables[down].share : std::max(0.0, cost - sum);
    const double bend = square.is_masked() ? square_of(changes_, square) : curvature * square.common();
    const double step = bend > 0 ? std::min(longest, (most - least) / bend) : longest;
    for (const AttributeChange& c : changes_) {
      const auto z = static_cast<std::size_t>(c.attribute);
      coefficient_[z] += step * c.value;
      output_[z] += step * c.value * common;
    }
    for (const AttributeChange& c : changes_) {
      if (!square.is_masked()) break;
      output_[static_cast<std::size_t>(c.attribute)] += step * c.value * (square.of(c.attribute) - common);
    }
    changes_.clear();
    outcome.linear += step * gained;
    outcome.square += step * (2 * slope + step * bend);
    if (up != kNone) {
      variables[up].share += step;
      sum += step;
    }
    if (down != kNone) {
      variables[down].share = step == longest ? 0 : variables[down].share - step;
      sum -= step;
    } else if (step == longest) {
      sum = cost;
    }
    if (step == 0) break;
  }
  if (outcome.steps == 0) return outcome;
  std::sort(used_.begin(), used_.end());
  for (const std::int32_t z : used_) {
    const double change = coefficient_[static_cast<std::size_t>(z)];
    if (change != 0) changes_.push_back({z, change});
  }
  return outcome;
}

template SampleDual::Outcome SampleDual::solve(std::vector<PairVariable>&, const float*, SampleSquare, double, double,
                                               int);
template SampleDual::Outcome SampleDual::solve(std::vector<PairVariable>&, const double*, SampleSquare, double, double,
                                               int);

}  // namespace clade
