#pragma once

#include <clade/dataset.h>
#include <clade/select.h>

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace clade {

// {"method", "parameters", "features": [names], "objective": [per iteration], "gap", "seconds" (not in files),
//  "nodes": [{"node": name, "ranking": [0-based features, best first], "weight": [in the same order]}]}
// A ranking for the whole data set has the single node "*". Common features, if asked for, are a further list "common".
nlohmann::json ranking_json(const FeatureRanking& ranking, const Dataset& data);

// What such a file holds, with names in place of a data set's nodes.
struct RankingFile {
  struct Node {
    std::string name;  // "*": the whole data set
    Index samples = 0;
    Index children = 0;
    std::vector<FeatureIndex> ranking;  // below features.size(), each once
    std::vector<double> weight;         // in the same order; empty: the file does not have them
    std::vector<FeatureIndex> common;   // below features.size(), each once
  };
  std::string method;
  std::vector<std::pair<std::string, std::string>> parameters;  // by name, as text
  std::vector<std::string> features;
  std::vector<Node> nodes;
  std::vector<double> objective;
  std::optional<double> gap;
  std::vector<std::pair<std::string, std::vector<double>>> residuals;
  std::optional<SelectTuning> tuning;
  std::vector<std::string> notes;
};

// Throws Error (kInput) if the file is not a ranking.
RankingFile read_ranking_file(const std::string& path, Context& ctx);
// As read_ranking() of <clade/select.h>, over a hierarchy that need not be that of the data.
FeatureRanking read_ranking(const std::string& path, const Dataset& data, const Taxonomy& taxonomy, Context& ctx);
// Is the file JSON by its name, and a ranking by its keys?
bool is_ranking_file(const std::string& path, Context& ctx);

}  // namespace clade
