#include "classify/local/calibration.h"

#include <clade/error.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/check.h"

namespace clade {
namespace {

struct Sample {
  double score;
  double target;  // 1 for positives, else 0
  double weight;
};

void check_number(bool is_good, std::string_view what) {
  if (!is_good) throw usage_error(what, "expected finite scores, and weights from 0");
}

double weight_at(std::span<const double> weight, std::size_t k) {
  const double w = weight.empty() ? 1 : weight[k];
  check_number(std::isfinite(w) && w >= 0, "a bad weight of a sample to calibrate on");
  return w;
}

// The samples with a weight above 0.
std::vector<Sample> samples_of(std::span<const double> scores, std::span<const char> is_positive,
                               std::span<const double> weight) {
  CLADE_CHECK(scores.size() == is_positive.size() && (weight.empty() || weight.size() == scores.size()));
  std::vector<Sample> samples;
  samples.reserve(scores.size());
  for (std::size_t k = 0; k < scores.size(); ++k) {
    check_number(std::isfinite(scores[k]), "a score to calibrate on is not a finite number");
    const double w = weight_at(weight, k);
    if (w > 0) samples.push_back({scores[k], is_positive[k] != 0 ? 1.0 : 0.0, w});
  }
  return samples;
}

// 1 / (1 + exp(f)) without overflow.
double falling_logistic(double f) {
  if (f < 0) return 1 / (1 + std::exp(f));
  const double e = std::exp(-f);
  return e / (1 + e);
}

double log_falling_logistic(double f) {
  return f < 0 ? -std::log1p(std::exp(f)) : -f - std::log1p(std::exp(-f));
}

// ---- sigmoid

// Scores are brought to mean 0 and deviation 1 for the Newton steps: score = centre + spread x.
struct Standardized {
  double centre = 0;
  double spread = 0;  // 0: all scores are equal
};

Standardized standardize(std::vector<Sample>& samples) {
  double largest = 0;
  for (const Sample& s : samples) largest = std::max(largest, std::abs(s.score));
  if (largest == 0) return {};
  double total = 0;
  double mean = 0;
  for (const Sample& s : samples) {  // a running mean, so that no sum overflows
    total += s.weight;
    mean += s.weight / total * (s.score / largest - mean);
  }
  double variance = 0;
  for (const Sample& s : samples) {
    const double d = s.score / largest - mean;
    variance += s.weight / total * d * d;
  }
  // A spread that is only rounding of equal scores counts as none.
  constexpr double kNoSpread = 1e-14;
  const double deviation = std::sqrt(variance);
  const Standardized result{mean * largest, deviation > kNoSpread ? deviation * largest : 0};
  for (Sample& s : samples) s.score = result.spread > 0 ? (s.score / largest - mean) / deviation : 0;
  return result;
}

struct Line {
  double slope = 0;
  double offset = 0;
  double at(double score) const { return slope * score + offset; }
};

double negative_log_likelihood(const std::vector<Sample>& samples, Line line) {
  double sum = 0;
  for (const Sample& s : samples) {
    const double f = line.at(s.score);
    const double loss = f >= 0 ? s.target * f + std::log1p(std::exp(-f)) : (s.target - 1) * f + std::log1p(std::exp(f));
    sum += s.weight * loss;
  }
  return sum;
}

struct Derivatives {
  double slope = 0;
  double offset = 0;
  double slope_slope = 0;
  double slope_offset = 0;
  double offset_offset = 0;
};

Derivatives derivatives(const std::vector<Sample>& samples, Line line) {
  Derivatives d;
  for (const Sample& s : samples) {
    const double p = falling_logistic(line.at(s.score));
    const double first = s.weight * (s.target - p);
    const double second = s.weight * p * (1 - p);
    d.slope += first * s.score;
    d.offset += first;
    d.slope_slope += second * s.score * s.score;
    d.slope_offset += second * s.score;
    d.offset_offset += second;
  }
  return d;
}

// The Newton direction, and how fast the loss falls along it.
std::pair<Line, double> newton_direction(const Derivatives& d, double total) {
  const double ridge = 1e-12 * total;  // keeps the system regular
  const double a = d.slope_slope + ridge;
  const double c = d.offset_offset + ridge;
  const double determinant = a * c - d.slope_offset * d.slope_offset;
  const Line direction{-(c * d.slope - d.slope_offset * d.offset) / determinant,
                       -(a * d.offset - d.slope_offset * d.slope) / determinant};
  return {direction, direction.slope * d.slope + direction.offset * d.offset};
}

Line most_likely_line(const std::vector<Sample>& samples, Line line) {
  constexpr int kMostSteps = 100;
  constexpr double kSmallestStep = 1e-10;
  constexpr double kEnoughDescent = 1e-4;
  constexpr double kTolerance = 1e-12;
  double total = 0;
  for (const Sample& s : samples) total += s.weight;
  double loss = negative_log_likelihood(samples, line);
  for (int step = 0; step < kMostSteps; ++step) {
    const auto [direction, descent] = newton_direction(derivatives(samples, line), total);
    if (!(-descent > kTolerance * kTolerance * total)) return line;
    double length = 1;
    for (; length >= kSmallestStep; length /= 2) {
      const Line next{line.slope + length * direction.slope, line.offset + length * direction.offset};
      const double next_loss = negative_log_likelihood(samples, next);
      if (next_loss < loss + kEnoughDescent * length * descent) {
        line = next;
        loss = next_loss;
        break;
      }
    }
    if (length < kSmallestStep) return line;  // as good as rounding allows
  }
  return line;
}

// ---- isotonic

struct Block {
  double low;  // scores
  double high;
  double mean;
  double weight;
};

void pool(Block& block, const Block& next) {
  const double total = block.weight + next.weight;
  block.mean += (next.mean - block.mean) * (next.weight / total);
  block.weight = total;
  block.high = next.high;
}

std::vector<Block> pool_adjacent_violators(std::vector<Sample> samples) {
  std::ranges::sort(samples, {}, [](const Sample& s) { return std::pair(s.score, s.target); });
  double largest = 0;
  for (const Sample& s : samples) largest = std::max(largest, std::abs(s.score));
  // A step between scores that differ by what solvers leave to chance would say nothing.
  constexpr double kRounding = 1e-9;
  std::vector<Block> ties;
  for (const Sample& s : samples) {
    const Block block{s.score, s.score, s.target, s.weight};
    if (!ties.empty() && s.score - ties.back().low <= kRounding * largest) {
      pool(ties.back(), block);
    } else {
      ties.push_back(block);
    }
  }
  std::vector<Block> blocks;
  for (const Block& tie : ties) {
    blocks.push_back(tie);
    while (blocks.size() > 1 && blocks[blocks.size() - 2].mean >= blocks.back().mean) {
      pool(blocks[blocks.size() - 2], blocks.back());
      blocks.pop_back();
    }
  }
  return blocks;
}

// Keeps means at least `margin` away from 0 and 1, and joins blocks that this makes equal.
std::vector<Block> bounded(const std::vector<Block>& blocks, double margin) {
  std::vector<Block> result;
  for (Block block : blocks) {
    block.mean = std::clamp(block.mean, margin, 1 - margin);
    if (!result.empty() && result.back().mean == block.mean) {
      result.back().high = block.high;
    } else {
      result.push_back(block);
    }
  }
  return result;
}

// ---- temperature

struct Slope {
  double first = 0;   // derivatives with respect to t
  double second = 0;  //
};

// `shifted` are the scores of one sample minus their largest.
Slope slope_at(std::span<const double> shifted, std::size_t label, double t) {
  double total = 0;
  double first = 0;
  double second = 0;
  for (const double s : shifted) {
    const double e = std::exp(t * s);
    total += e;
    first += e * s;
    second += e * s * s;
  }
  const double mean = first / total;
  return {mean - shifted[label], std::max(0.0, second / total - mean * mean)};
}

class TemperatureFit {
 public:
  TemperatureFit(const std::vector<std::vector<double>>& scores, std::span<const std::int32_t> label,
                 std::span<const double> weight) {
    CLADE_CHECK(label.size() == scores.size() && (weight.empty() || weight.size() == scores.size()));
    for (std::size_t k = 0; k < scores.size(); ++k) add(scores[k], label[k], weight_at(weight, k));
    for (auto& row : rows_) {
      for (double& s : row.shifted) s /= range_;
    }
  }

  double solve() const {
    if (range_ == 0 || rows_.empty()) return 1;
    return std::exp(best_logarithm()) / range_;
  }

 private:
  struct Row {
    std::vector<double> shifted;
    std::size_t label;
    double weight;
  };

  void add(const std::vector<double>& scores, std::int32_t label, double weight) {
    const bool is_place = label >= 0 && static_cast<std::size_t>(label) < scores.size();
    if (!is_place) throw usage_error("a label that has no score", "expected the place of the true score");
    const double largest = *std::ranges::max_element(scores);
    Row row{{}, static_cast<std::size_t>(label), weight};
    for (const double score : scores) {
      check_number(std::isfinite(score) && std::isfinite(score - largest), "a score to calibrate on is too large");
      row.shifted.push_back(score - largest);
    }
    if (weight == 0) return;
    for (const double s : row.shifted) range_ = std::max(range_, -s);
    rows_.push_back(std::move(row));
  }

  Slope slope(double t) const {
    Slope sum;
    for (const Row& row : rows_) {
      const Slope s = slope_at(row.shifted, row.label, t);
      sum.first += row.weight * s.first;
      sum.second += row.weight * s.second;
    }
    return sum;
  }

  // Newton steps in log t; a step that leaves the interval known to contain the minimum is replaced by halving it.
  double best_logarithm() const {
    constexpr int kMostSteps = 200;
    constexpr double kTolerance = 1e-13;
    double low = std::log(1e-3);
    double high = std::log(1e3);
    if (slope(std::exp(low)).first >= 0) return low;
    if (slope(std::exp(high)).first <= 0) return high;
    double u = 0;
    for (int step = 0; step < kMostSteps && high - low > kTolerance; ++step) {
      const double t = std::exp(u);
      const Slope s = slope(t);
      if (s.first == 0) return u;
      (s.first > 0 ? high : low) = u;
      const double curvature = t * s.first + t * t * s.second;
      double next = curvature > 0 ? u - t * s.first / curvature : low;
      if (!(next > low && next < high)) next = (low + high) / 2;
      if (std::abs(next - u) < kTolerance) return next;
      u = next;
    }
    return u;
  }

  std::vector<Row> rows_;  // scores divided by range_
  double range_ = 0;
};

}  // namespace

Calibration fit_sigmoid(std::span<const double> scores, std::span<const char> is_positive,
                        std::span<const double> weight) {
  std::vector<Sample> samples = samples_of(scores, is_positive, weight);
  double positives = 0;
  double others = 0;
  for (const Sample& s : samples) (s.target > 0 ? positives : others) += s.weight;
  for (Sample& s : samples) s.target = s.target > 0 ? (positives + 1) / (positives + 2) : 1 / (others + 2);
  const Standardized standard = standardize(samples);
  const Line start{0, std::log((others + 1) / (positives + 1))};
  const Line line = samples.empty() ? start : most_likely_line(samples, start);
  Calibration result{.kind = Calibration::Kind::kSigmoid, .at = {0, line.offset}, .value = {}};
  if (standard.spread > 0) {
    result.at[0] = line.slope / standard.spread;
    result.at[1] = line.offset - line.slope * (standard.centre / standard.spread);
  }
  return result;
}

Calibration fit_isotonic(std::span<const double> scores, std::span<const char> is_positive,
                         std::span<const double> weight) {
  std::vector<Sample> samples = samples_of(scores, is_positive, weight);
  double total = 0;
  for (const Sample& s : samples) total += s.weight;
  std::vector<Block> blocks = pool_adjacent_violators(std::move(samples));
  if (blocks.empty()) blocks.push_back({0, 0, 0.5, 0});
  Calibration result{.kind = Calibration::Kind::kIsotonic, .at = {}, .value = {}};
  for (const Block& block : bounded(blocks, 1 / (total + 2))) {
    result.at.push_back(block.low);
    result.value.push_back(block.mean);
    if (block.high == block.low) continue;
    result.at.push_back(block.high);
    result.value.push_back(block.mean);
  }
  return result;
}

double probability(const Calibration& calibration, double score) {
  switch (calibration.kind) {
    case Calibration::Kind::kNone:
      return falling_logistic(-score);
    case Calibration::Kind::kSigmoid:
      return falling_logistic(calibration.at[0] * score + calibration.at[1]);
    case Calibration::Kind::kIsotonic:
      break;
  }
  const auto& at = calibration.at;
  const auto above = std::ranges::upper_bound(at, score);
  if (above == at.begin()) return calibration.value.front();
  if (above == at.end()) return calibration.value.back();
  const auto k = static_cast<std::size_t>(above - at.begin());
  const double share = (score / 2 - at[k - 1] / 2) / (at[k] / 2 - at[k - 1] / 2);  // halves cannot overflow
  return calibration.value[k - 1] + share * (calibration.value[k] - calibration.value[k - 1]);
}

double log_probability(const Calibration& calibration, double score) {
  switch (calibration.kind) {
    case Calibration::Kind::kNone:
      return log_falling_logistic(-score);
    case Calibration::Kind::kSigmoid:
      return log_falling_logistic(calibration.at[0] * score + calibration.at[1]);
    case Calibration::Kind::kIsotonic:
      break;
  }
  return std::log(std::max(probability(calibration, score), std::numeric_limits<double>::min()));
}

double fit_temperature(const std::vector<std::vector<double>>& scores, std::span<const std::int32_t> label,
                       std::span<const double> weight) {
  return TemperatureFit(scores, label, weight).solve();
}

}  // namespace clade
