#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "classify/joint/joint_cases.h"

// The joint SVM solved in the plainest way, and by Clade, in the same form.
namespace clade::testing {

using Vector = std::vector<double>;

// The dual written out: a variable per (sample, class that it has, class that it has not), the feature vector
// Delta (Lambda(y) - Lambda(r)) (x) x of each as one long vector, and accelerated projected gradient steps.
struct Reference {
  struct Pair {
    std::size_t sample;
    std::size_t own;
    std::size_t other;
    double loss;
    Vector direction;
  };

  Reference(const FullProblem& problem, double cost) : full(problem), c(cost) {
    for (std::size_t i = 0; i < full.x.size(); ++i) {
      for (const std::size_t y : full.own[i]) {
        for (std::size_t r = 0; r < full.classes.size(); ++r) {
          if (full.has(i, r)) continue;
          Pair pair{i, y, r, full.loss[y][r], {}};
          for (std::size_t z = 0; z < full.attributes[y].size(); ++z) {
            for (const double x : full.x[i]) {
              pair.direction.push_back(pair.loss * (full.attributes[y][z] - full.attributes[r][z]) * x);
            }
          }
          pairs.push_back(pair);
        }
      }
    }
  }

  Vector weights(const Vector& b) const {
    Vector w(pairs[0].direction.size(), 0);
    for (std::size_t p = 0; p < pairs.size(); ++p) {
      for (std::size_t k = 0; k < w.size(); ++k) w[k] += b[p] * pairs[p].direction[k];
    }
    return w;
  }
  // Delta (1 - <w, dPhi>) of a pair.
  double violation(const Vector& w, const Pair& pair) const {
    double dot = 0;
    for (std::size_t k = 0; k < w.size(); ++k) dot += w[k] * pair.direction[k];
    return pair.loss - dot;
  }
  double primal(const Vector& w) const {
    Vector slack(full.x.size(), 0);
    for (const Pair& pair : pairs) slack[pair.sample] = std::max(slack[pair.sample], violation(w, pair));
    double total = 0;
    for (const double v : w) total += v * v / 2;
    for (const double s : slack) total += c * s;
    return total;
  }
  double dual(const Vector& b) const {
    double total = 0;
    for (std::size_t p = 0; p < pairs.size(); ++p) total += b[p] * pairs[p].loss;
    for (const double v : weights(b)) total -= v * v / 2;
    return total;
  }

  // Nearest point of {b >= 0, sum over each sample <= c}, by bisection of the shift.
  void project(Vector& b) const {
    for (std::size_t i = 0; i < full.x.size(); ++i) {
      double high = 0;
      double sum = 0;
      for (std::size_t p = 0; p < pairs.size(); ++p) {
        if (pairs[p].sample != i) continue;
        sum += std::max(0.0, b[p]);
        high = std::max(high, b[p]);
      }
      double shift = 0;
      if (sum > c) {
        double low = 0;
        for (int step = 0; step < 200; ++step) {
          shift = (low + high) / 2;
          double shifted = 0;
          for (std::size_t p = 0; p < pairs.size(); ++p) {
            if (pairs[p].sample == i) shifted += std::max(0.0, b[p] - shift);
          }
          (shifted > c ? low : high) = shift;
        }
      }
      for (std::size_t p = 0; p < pairs.size(); ++p) {
        if (pairs[p].sample == i) b[p] = std::max(0.0, b[p] - shift);
      }
    }
  }

  // Until primal and dual agree to `gap` relative.
  double solve(double gap) const {
    double curvature = 0;
    for (const Pair& pair : pairs) {
      for (const double d : pair.direction) curvature += d * d;
    }
    Vector b(pairs.size(), 0);
    Vector ahead = b;
    double momentum = 1;
    double best = std::numeric_limits<double>::infinity();
    for (int step = 0; step < 400000; ++step) {
      const Vector w = weights(ahead);
      Vector next = ahead;
      for (std::size_t p = 0; p < pairs.size(); ++p) next[p] += violation(w, pairs[p]) / std::max(curvature, 1e-12);
      project(next);
      double turn = 0;
      for (std::size_t p = 0; p < b.size(); ++p) turn += (ahead[p] - next[p]) * (next[p] - b[p]);
      const double following = turn > 0 ? 1 : (1 + std::sqrt(1 + 4 * momentum * momentum)) / 2;
      for (std::size_t p = 0; p < b.size(); ++p) ahead[p] = next[p] + (momentum - 1) / following * (next[p] - b[p]);
      if (turn > 0) ahead = next;
      momentum = following;
      b = next;
      if (step % 50 != 49) continue;
      best = std::min(best, primal(weights(b)));
      if (best - dual(b) <= gap * std::max(1.0, std::abs(best))) break;
    }
    return best;
  }

  const FullProblem& full;
  double c;
  std::vector<Pair> pairs;
};

struct Solved {
  JointSvmResult result;
  JointVariables variables;
  JointData data;
  std::vector<Vector> weights;  // attributes x columns
};

template <class T, class Scores = LinearScores<T>>
inline Solved solved(const JointCase& c, double cost, const JointSvmOptions& options, int threads = 2) {
  Context ctx({.threads = threads});
  Solved s{{}, {}, joint_data_of(c, ctx), {}};
  const Vector costs(static_cast<std::size_t>(s.data.rows.rows()), cost);
  Scores scores(s.data.rows, s.data.problem.attributes.count);
  s.result = solve_joint_svm(s.data.problem, scores, costs, s.variables, options, ctx);
  s.weights.assign(static_cast<std::size_t>(s.data.problem.attributes.count),
                   Vector(static_cast<std::size_t>(s.data.rows.width()), 0));
  const auto& weights = scores.weights();
  for (Index f = 0; f < s.data.rows.width(); ++f) {
    weights.for_each(f, [&](std::int32_t z, T value) {
      s.weights[static_cast<std::size_t>(z)][static_cast<std::size_t>(f)] = static_cast<double>(value);
    });
  }
  return s;
}

// The weights of a solution in the places of the reference: by node, then by feature.
inline Vector placed(const Solved& s, const FullProblem& full) {
  const std::size_t width = full.x[0].size();
  Vector w(full.attributes[0].size() * width, 0);
  for (std::size_t z = 0; z < s.weights.size(); ++z) {
    const auto node = static_cast<std::size_t>(s.data.problem.attributes.nodes[z]);
    for (std::size_t k = 0; k < s.data.rows.features.size(); ++k) {
      w[node * width + static_cast<std::size_t>(s.data.rows.features[k])] = s.weights[z][k];
    }
  }
  return w;
}

}  // namespace clade::testing
