#pragma once

#include <clade/cluster.h>

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

namespace clade {

// A row per run: mean and standard deviation over the starts of accuracy, NMI and objective. For a single run also the
// sizes of the clusters of the best start; for several the best of them.
std::string cluster_text(std::span<const ClusterRun> runs);

// {"features", "accuracy", "accuracy_deviation", "nmi", "nmi_deviation", "objective", "objective_deviation",
//  "best_start", "best_objective", "sizes", "starts": [{"objective", "accuracy", "nmi", "rounds", "converged"}]}
// Accuracy and NMI are null without classes.
nlohmann::json cluster_json(const ClusterRun& run);

}  // namespace clade
