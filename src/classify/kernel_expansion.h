#pragma once

#include <clade/context.h>
#include <clade/types.h>

#include <span>
#include <string>
#include <vector>

#include "data/kernel/kernel_samples.h"

namespace clade {

// The outputs of a joint model in its dual form: u_z(x) = sum_j b_jz k(x_j, x) over its support samples.
struct KernelExpansion {
  KernelOptions options;  // gamma is set, not auto
  KernelSamples support;
  std::vector<Index> offsets{0};         // support samples + 1
  std::vector<std::int32_t> attributes;  // of each coefficient
  std::vector<double> values;
  // Names and labels of the support samples, for explanations; empty in files of earlier versions.
  std::vector<std::string> names;
  std::vector<Index> label_offsets{0};
  std::vector<NodeId> labels;

  std::string name_of(Index j) const { return names.empty() ? std::to_string(j) : names[static_cast<std::size_t>(j)]; }
  std::span<const NodeId> labels_of(Index j) const {
    const auto at = static_cast<std::size_t>(j);
    if (at + 1 >= label_offsets.size()) return {};
    return {labels.data() + label_offsets[at], static_cast<std::size_t>(label_offsets[at + 1] - label_offsets[at])};
  }

  // The weight of support sample j in a weighted sum of outputs.
  double weight(Index j, std::span<const double> of_outputs) const {
    const auto at = static_cast<std::size_t>(j);
    double sum = 0;
    for (auto e = static_cast<std::size_t>(offsets[at]); e < static_cast<std::size_t>(offsets[at + 1]); ++e) {
      sum += of_outputs[static_cast<std::size_t>(attributes[e])] * values[e];
    }
    return sum;
  }

  // Outputs for sample i of `queries`, which are prepared like the support samples; `similarity` is scratch.
  void outputs(const KernelSamples& queries, Index i, std::vector<double>& similarity, std::vector<double>& out) const {
    similarity.resize(static_cast<std::size_t>(support.size()));
    queries.row(options, support, i, similarity);
    std::fill(out.begin(), out.end(), 0.0);
    for (std::size_t j = 0; j < similarity.size(); ++j) {
      for (auto e = static_cast<std::size_t>(offsets[j]); e < static_cast<std::size_t>(offsets[j + 1]); ++e) {
        out[static_cast<std::size_t>(attributes[e])] += similarity[j] * values[e];
      }
    }
  }
};

}  // namespace clade
