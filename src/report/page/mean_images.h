#pragma once

#include <clade/dataset.h>
#include <clade/evaluate.h>
#include <clade/taxonomy.h>

#include <nlohmann/json_fwd.hpp>
#include <vector>

namespace clade {

// Where features are pixels: the mean image of the samples of each node, as `means` of the document (weight_data.h).
// Missing values count as 0. The first nodes that `room` bytes can hold. Cost: O(values x levels + nodes x features).
void add_mean_images(nlohmann::json& document, const Dataset& data, const JudgedSamples& judged,
                     const Taxonomy& taxonomy, const std::vector<NodeId>& nodes, Index room);

}  // namespace clade
