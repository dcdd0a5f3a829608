#include "induce/dendrogram_file.h"

#include <clade/error.h>
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "io/json_input.h"

namespace clade {
namespace {

using nlohmann::json;

Error no_dendrogram(const Input& input, const std::string& problem) {
  return input_error({.file = input.name()}, problem, "expected the dendrogram that clade learn-taxonomy writes");
}

Merge merge_of(const json& entry) {
  const auto parts = entry.at("parts").get<std::vector<Index>>();
  if (parts.size() != 2) return {.first = -1};
  return {.first = parts[0],
          .second = parts[1],
          .distance = entry.at("distance").get<double>(),
          .size = entry.value("size", Index{0}),
          .inconsistency = entry.value("inconsistency", 0.0),
          .cuts = entry.value("cuts", 0)};
}

void check_merges(const Dendrogram& dendrogram, const Input& input) {
  const auto classes = std::ssize(dendrogram.classes);
  if (std::ssize(dendrogram.merges) != classes - 1) {
    throw no_dendrogram(input, fmt::format("{} merges of {} classes", dendrogram.merges.size(), classes));
  }
  std::vector<char> is_joined(static_cast<std::size_t>(2 * classes), 0);
  double before = 0;
  for (Index m = 0; m < classes - 1; ++m) {
    const Merge& merge = dendrogram.merges[static_cast<std::size_t>(m)];
    const bool is_known = 0 <= merge.first && merge.first < merge.second && merge.second < classes + m;
    if (!is_known || is_joined[static_cast<std::size_t>(merge.first)]++ != 0 ||
        is_joined[static_cast<std::size_t>(merge.second)]++ != 0) {
      throw no_dendrogram(input, fmt::format("merge {}: parts that do not exist, or are joined twice", m + 1));
    }
    if (!std::isfinite(merge.distance) || merge.distance < before || !std::isfinite(merge.inconsistency)) {
      throw no_dendrogram(input, fmt::format("merge {}: distance {:g} after {:g}", m + 1, merge.distance, before));
    }
    before = merge.distance;
  }
}

}  // namespace

DendrogramFile parse_dendrogram(const Input& input) {
  const json document = parse_json(input);
  DendrogramFile file;
  try {
    file.method = document.value("method", "");
    for (const json& one : document.at("classes")) {
      file.dendrogram.classes.push_back(one.at("name").get<std::string>());
      file.dendrogram.samples.push_back(one.value("samples", Index{0}));
    }
    for (const json& entry : document.at("merges")) file.dendrogram.merges.push_back(merge_of(entry));
    const json threshold = document.value("threshold", json());
    if (threshold.is_number()) file.dendrogram.threshold = threshold.get<double>();
    file.dendrogram.levels = document.value("levels", file.dendrogram.levels);
    const json clusters = document.value("clusters", json::array());
    for (const json& cluster : clusters) {
      file.clusters.push_back({.name = cluster.at("name").get<std::string>(),
                               .parent = cluster.value("parent", ""),
                               .classes = cluster.value("classes", std::vector<std::string>())});
    }
  } catch (const json::exception&) {
    throw no_dendrogram(input, "this is no dendrogram");
  }
  const std::set<std::string> names(file.dendrogram.classes.begin(), file.dendrogram.classes.end());
  if (names.empty() || names.size() != file.dendrogram.classes.size()) {
    throw no_dendrogram(input, names.empty() ? "no classes" : "a class occurs twice");
  }
  check_merges(file.dendrogram, input);
  return file;
}

}  // namespace clade
