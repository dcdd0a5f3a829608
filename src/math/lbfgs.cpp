#include "math/lbfgs.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/parallel.h"

namespace clade {
namespace {

constexpr Index kEntriesPerTask = Index{1} << 16;
constexpr double kDescent = 1e-4;    // of the fall that the slope promises
constexpr double kCurvature = 0.9;   // the slope at the end of a step, relative to that at its start
constexpr double kRounding = 1e-14;  // relative differences of objectives below this mean nothing
constexpr int kTrials = 40;

double dot(const Vector& a, const Vector& b, Context& ctx) {
  return parallel_reduce(
      ctx, a.size(), kEntriesPerTask, 0.0,
      [&](Index begin, Index end) { return a.segment(begin, end - begin).dot(b.segment(begin, end - begin)); },
      [](double& total, double part) { total += part; });
}

// a += factor b
void add(Vector& a, double factor, const Vector& b, Context& ctx) {
  parallel_for(ctx, a.size(), kEntriesPerTask, [&](Index begin, Index end) {
    a.segment(begin, end - begin) += factor * b.segment(begin, end - begin);
  });
}

double largest(const Vector& g) {
  return g.size() == 0 ? 0 : g.lpNorm<Eigen::Infinity>();
}

// Pairs of steps and gradient changes; the oldest is replaced first.
class History {
 public:
  explicit History(int length) : pairs_(static_cast<std::size_t>(length)) {}

  void add_pair(Vector step, Vector change, double product) {
    pairs_[next_] = {std::move(step), std::move(change), product};
    next_ = (next_ + 1) % pairs_.size();
    used_ = std::min(used_ + 1, pairs_.size());
  }
  void clear() { used_ = 0; }
  bool empty() const { return used_ == 0; }

  // -H g by the two loops over the pairs. The initial H is `scale`, fitted to the curvature of the last pair.
  Vector direction(const Vector& g, const Vector& scale, Context& ctx) {
    Vector d = -g;
    std::vector<double> factor(used_);
    for (std::size_t k = 0; k < used_; ++k) {
      const Pair& pair = recent(k);
      factor[k] = dot(pair.step, d, ctx) / pair.product;
      add(d, -factor[k], pair.change, ctx);
    }
    if (scale.size() > 0) d.array() *= scale.array();
    if (used_ > 0) {
      const Pair& last = recent(0);
      const double square = scale.size() > 0 ? last.change.cwiseAbs2().dot(scale) : dot(last.change, last.change, ctx);
      d *= last.product / square;
    }
    for (std::size_t k = used_; k-- > 0;) {
      const Pair& pair = recent(k);
      add(d, factor[k] - dot(pair.change, d, ctx) / pair.product, pair.step, ctx);
    }
    return d;
  }

 private:
  struct Pair {
    Vector step;
    Vector change;
    double product = 0;
  };
  const Pair& recent(std::size_t age) const { return pairs_[(next_ + 2 * pairs_.size() - 1 - age) % pairs_.size()]; }

  std::vector<Pair> pairs_;
  std::size_t next_ = 0;
  std::size_t used_ = 0;
};

// The objective along a direction.
struct Point {
  double length = 0;
  double value = 0;
  double slope = 0;
};

// The minimum of the cubic through two points with their slopes, kept away from both ends.
double between(const Point& a, const Point& b) {
  const double width = b.length - a.length;
  const double theta = a.slope + b.slope - 3 * (b.value - a.value) / width;
  const double root = std::sqrt(std::max(0.0, theta * theta - a.slope * b.slope));
  const double signed_root = width > 0 ? root : -root;
  const double at = b.length - width * (b.slope + signed_root - theta) / (b.slope - a.slope + 2 * signed_root);
  const double margin = 0.1 * std::abs(width);
  const double low = std::min(a.length, b.length) + margin;
  const double high = std::max(a.length, b.length) - margin;
  return std::isfinite(at) ? std::clamp(at, low, high) : (low + high) / 2;
}

// A step that meets the strong Wolfe conditions (J. Nocedal, S. Wright, Numerical Optimization, 3.5 and 3.6). x and g
// follow each trial.
class LineSearch {
 public:
  LineSearch(const SmoothFunction& function, const Vector& start, double value, const Vector& direction, double slope,
             Vector& x, Vector& g, Context& ctx)
      : function_(function), start_(start), first_{0, value, slope}, direction_(direction), x_(x), g_(g), ctx_(ctx) {}

  // False if no step was found; x and g are then unusable.
  bool run(double length) {
    Point last = first_;
    for (int k = 0; k < kTrials; ++k) {
      const Point now = evaluate(length);
      if (!descends(now) || (k > 0 && now.value > last.value + slack())) return narrow(last, now, kTrials - k);
      if (is_flat(now)) return accept(now);
      if (now.slope >= 0) return narrow(now, last, kTrials - k);
      last = now;
      length *= 4;
    }
    return accept(last);
  }

  double value() const { return accepted_.value; }

 private:
  double slack() const { return kRounding * std::abs(first_.value); }
  bool descends(const Point& p) const { return p.value <= first_.value + kDescent * p.length * first_.slope + slack(); }
  bool is_flat(const Point& p) const { return std::abs(p.slope) <= -kCurvature * first_.slope; }

  bool accept(const Point& p) {
    accepted_ = p;
    return true;
  }

  Point evaluate(double length) {
    x_ = start_;
    add(x_, length, direction_, ctx_);
    const double value = function_(x_, g_);
    return {length, std::isfinite(value) ? value : HUGE_VAL, dot(g_, direction_, ctx_)};
  }

  // `best` gives descent, and its slope points towards `other`.
  bool narrow(Point best, Point other, int trials) {
    for (int k = 0; k < trials; ++k) {
      const bool is_wild = !std::isfinite(other.value) || !std::isfinite(other.slope);
      const Point now = evaluate(is_wild ? best.length + 0.1 * (other.length - best.length) : between(best, other));
      if (!descends(now) || now.value > best.value + slack()) {
        other = now;
        continue;
      }
      if (is_flat(now)) return accept(now);
      if (now.slope * (other.length - best.length) >= 0) other = best;
      best = now;
    }
    if (best.length == 0) return false;
    return accept(evaluate(best.length));
  }

  const SmoothFunction& function_;
  const Vector& start_;
  Point first_;
  const Vector& direction_;
  Vector& x_;
  Vector& g_;
  Context& ctx_;
  Point accepted_;
};

}  // namespace

LbfgsResult lbfgs(const SmoothFunction& function, Vector& x, const Vector& scale, const LbfgsOptions& options,
                  Context& ctx) {
  LbfgsResult result;
  Vector g(x.size());
  result.objective = function(x, g);
  result.gradient = largest(g);
  History history(options.history);
  Vector start;
  Vector before;
  while (result.gradient > options.tolerance && result.iterations < options.iterations) {
    ctx.check_cancelled();
    Vector d = history.direction(g, scale, ctx);
    double slope = dot(d, g, ctx);
    if (!(slope < 0)) break;
    start = x;
    before = g;
    LineSearch search(function, start, result.objective, d, slope, x, g, ctx);
    // Without history, the direction has no natural length unless the scale gives it one.
    const double length = history.empty() && scale.size() == 0 ? std::min(1.0, 1 / d.norm()) : 1;
    const bool found = search.run(length);
    if (!found) {
      x = start;
      g = before;
      if (history.empty()) break;
      history.clear();
      continue;
    }
    result.objective = search.value();
    result.gradient = largest(g);
    ++result.iterations;
    start = x - start;
    before = g - before;
    const double product = dot(start, before, ctx);
    if (product > 0) history.add_pair(std::move(start), std::move(before), product);
  }
  result.has_converged = result.gradient <= options.tolerance;
  return result;
}

}  // namespace clade
