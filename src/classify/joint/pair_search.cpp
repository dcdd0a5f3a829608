#include "classify/joint/pair_search.h"

#include <algorithm>

namespace clade {
namespace {

constexpr Index kSideBySide = 8;  // maxima side by side, so that the loop becomes vector instructions

// out[r] = loss[r] (base + scores[r]) others[r]; returns the largest, or 0.
double gradients(const double* loss, const double* scores, const double* others, double base, Index count,
                 double* out) {
  double top[kSideBySide] = {};
  Index r = 0;
  for (; r + kSideBySide <= count; r += kSideBySide) {
    for (Index t = 0; t < kSideBySide; ++t) {
      const double h = loss[r + t] * (base + scores[r + t]) * others[r + t];
      out[r + t] = h;
      top[t] = h > top[t] ? h : top[t];
    }
  }
  for (; r < count; ++r) {
    out[r] = loss[r] * (base + scores[r]) * others[r];
    top[0] = std::max(top[0], out[r]);
  }
  return *std::max_element(top, top + kSideBySide);
}

}  // namespace

PairSearch::PairSearch(const JointProblem& problem)
    : problem_(problem),
      classes_(problem.loss.classes()),
      blocks_((classes_ + kBlock - 1) / kBlock),
      best_score_(static_cast<std::size_t>(blocks_)),
      others_(static_cast<std::size_t>(classes_), 1) {
  std::vector<double> most_loss;
  most_loss.reserve(static_cast<std::size_t>(classes_ * blocks_));
  for (Index y = 0; y < classes_; ++y) {
    const double* const loss = problem.loss.row(y, scratch_);
    for (Index r = 0; r < classes_; r += kBlock) {
      most_loss.push_back(*std::max_element(loss + r, loss + std::min(classes_, r + kBlock)));
    }
  }
  most_loss_ = std::make_shared<const std::vector<double>>(std::move(most_loss));
}

bool PairSearch::is_before(const Candidate& a, const Candidate& b) {
  if (a.gradient != b.gradient) return a.gradient > b.gradient;
  return a.variable.own != b.variable.own ? a.variable.own < b.variable.own : a.variable.other < b.variable.other;
}

double PairSearch::largest(std::span<const std::int32_t> own, std::span<const double> class_scores, double floor,
                           double reached) {
  own_ = own;
  gradient_.resize(own.size() * static_cast<std::size_t>(classes_));
  largest_.resize(own.size() * static_cast<std::size_t>(blocks_));
  top_.assign(own.size(), 0);
  for (const std::int32_t y : own) others_[static_cast<std::size_t>(y)] = 0;
  for (Index block = 0; block < blocks_; ++block) {
    const auto* const first = class_scores.data() + block * kBlock;
    best_score_[static_cast<std::size_t>(block)] =
        *std::max_element(first, first + std::min(kBlock, classes_ - block * kBlock));
  }
  double most = std::max(0.0, reached);
  for (std::size_t k = 0; k < own.size(); ++k) {
    const double* const loss = problem_.loss.row(own[k], scratch_);
    const double base = 1 - class_scores[static_cast<std::size_t>(own[k])];
    double* const out = gradient_.data() + static_cast<Index>(k) * classes_;
    double* const tops = largest_.data() + static_cast<Index>(k) * blocks_;
    for (Index block = 0; block < blocks_; ++block) {
      const Index r = block * kBlock;
      const double bound = (*most_loss_)[static_cast<std::size_t>(own[k] * blocks_ + block)] *
                           (base + best_score_[static_cast<std::size_t>(block)]);
      if (bound <= (1 - kShare) * most + kShare * floor) {
        tops[block] = 0;
        continue;
      }
      tops[block] = gradients(loss + r, class_scores.data() + r, others_.data() + r, base,
                              std::min(kBlock, classes_ - r), out + r);
      top_[k] = std::max(top_[k], tops[block]);
      most = std::max(most, tops[block]);
    }
  }
  for (const std::int32_t y : own) others_[static_cast<std::size_t>(y)] = 1;
  return most;
}

std::span<const PairVariable> PairSearch::best(const Limits& limits, std::span<const PairVariable> known) {
  candidates_.clear();
  // With all known pairs among them, these are enough.
  const std::size_t wanted = limits.count + known.size();
  double enough = limits.enough;
  const auto keep_best = [&](std::size_t count) {
    if (candidates_.size() <= count || count == 0) return;
    const auto last = candidates_.begin() + static_cast<std::ptrdiff_t>(count);
    std::nth_element(candidates_.begin(), last - 1, candidates_.end(), is_before);
    candidates_.erase(last, candidates_.end());
    enough = std::max(enough, candidates_.back().gradient);
  };
  for (std::size_t k = 0; k < own_.size(); ++k) {
    const double above = std::max(limits.least, limits.share * top_[k]);
    const double* const row = gradient_.data() + static_cast<Index>(k) * classes_;
    for (Index block = 0; block < blocks_; ++block) {
      const double top = largest_[k * static_cast<std::size_t>(blocks_) + static_cast<std::size_t>(block)];
      if (top < enough || top <= above) continue;
      for (Index r = block * kBlock; r < std::min(classes_, (block + 1) * kBlock); ++r) {
        if (row[r] < enough || row[r] <= above) continue;
        candidates_.push_back({row[r], {own_[k], static_cast<std::int32_t>(r), 0, 0}});
      }
      if (candidates_.size() > 4 * wanted) keep_best(wanted);
    }
  }
  keep_best(wanted);
  std::erase_if(candidates_, [&](const Candidate& c) {
    return std::ranges::any_of(
        known, [&](const PairVariable& v) { return v.own == c.variable.own && v.other == c.variable.other; });
  });
  keep_best(limits.count);
  std::sort(candidates_.begin(), candidates_.end(), is_before);
  found_.clear();
  for (const Candidate& c : candidates_) {
    found_.push_back(c.variable);
    found_.back().loss = problem_.loss.of(c.variable.own, c.variable.other);
  }
  return found_;
}

}  // namespace clade
