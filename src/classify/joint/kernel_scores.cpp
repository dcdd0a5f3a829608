#include "classify/joint/kernel_scores.h"

#include <clade/error.h>

#include <algorithm>

namespace clade {
namespace {

// Scores are sums of kernel values times coefficients; beyond this they could overflow.
constexpr double kLargestKernel = 1e150;

}  // namespace

KernelScores::KernelScores(const KernelSamples& samples, const KernelOptions& options, Index attributes, Context& ctx)
    : attributes_(attributes),
      rows_(samples, options, options.cache_bytes(), ctx),
      coefficients_(static_cast<std::size_t>(samples.size())),
      place_(static_cast<std::size_t>(samples.size()), 0) {
  if (samples.size() > 0 && !(rows_.diagonal().array().abs().maxCoeff() < kLargestKernel)) {
    throw usage_error("the kernel is too large to compute with",
                      "expected values, `gamma`, `degree` and `coef0` that keep it below 1e150");
  }
}

void KernelScores::prepare(std::span<const std::int32_t> samples) {
  prepared_.assign(samples.size() * static_cast<std::size_t>(attributes_), 0.0);
  for (std::size_t k = 0; k < samples.size(); ++k) {
    place_[static_cast<std::size_t>(samples[k])] = static_cast<std::int32_t>(k);
    const double* const row = rows_.row(samples[k]);
    double* const out = prepared_.data() + k * static_cast<std::size_t>(attributes_);
    for (std::size_t j = 0; j < coefficients_.size(); ++j) {
      if (row[j] == 0) continue;
      for (const AttributeChange& c : coefficients_[j]) out[c.attribute] += row[j] * c.value;
    }
  }
}

void KernelScores::outputs(Index i, double* out) const {
  std::copy_n(prepared_.data() + place_[static_cast<std::size_t>(i)] * attributes_, attributes_, out);
}

void KernelScores::add_lagged(Index i, std::span<const AttributeChange> changes) {
  lagged_.resize(coefficients_.size());
  merge(lagged_[static_cast<std::size_t>(i)], changes);
}

void KernelScores::merge(std::vector<AttributeChange>& to, std::span<const AttributeChange> changes) {
  std::size_t at = 0;
  for (const AttributeChange& c : changes) {
    while (at < to.size() && to[at].attribute < c.attribute) ++at;
    if (at < to.size() && to[at].attribute == c.attribute) {
      to[at].value += c.value;
    } else {
      to.insert(to.begin() + static_cast<std::ptrdiff_t>(at), c);
    }
  }
}

}  // namespace clade
