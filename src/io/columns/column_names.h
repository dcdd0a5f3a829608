#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "core/text.h"

// What the names of columns say, in upper or lower case.
namespace clade {

// Names of columns of labels, the clearest first. Those before kDoubtfulLabelNames leave no doubt.
inline constexpr std::array<std::string_view, 14> kLabelColumnNames = {
    "label", "labels",   "class",      "classes", "doc_label", "category path", "category_path",
    "path",  "category", "categories", "target",  "topic",     "topics",        "taxonomy"};
inline constexpr std::size_t kDoubtfulLabelNames = 3;

// The place of a name among them.
inline std::optional<std::size_t> label_name_rank(std::string_view name) {
  const auto found = std::ranges::find(kLabelColumnNames, lower_case(name));
  if (found == kLabelColumnNames.end()) return std::nullopt;
  return static_cast<std::size_t>(found - kLabelColumnNames.begin());
}

inline bool is_sample_column_name(std::string_view name) {
  constexpr std::array<std::string_view, 4> kNames = {"sample", "id", "uid", "uuid"};
  return std::ranges::find(kNames, lower_case(name)) != kNames.end();
}

}  // namespace clade
