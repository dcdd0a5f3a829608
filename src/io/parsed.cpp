#include "io/parsed.h"

namespace clade {

std::int32_t LabelNames::intern(std::string_view name, Index line) {
  const auto found = number_.find(name);
  if (found != number_.end()) return found->second;
  const auto number = static_cast<std::int32_t>(names_.size());
  names_.emplace_back(name);
  first_line_.push_back(line);
  number_.emplace(std::string(name), number);
  return number;
}

void LabelNames::append(const LabelNames& other) {
  std::vector<std::int32_t> mine;
  mine.reserve(other.names_.size());
  for (std::size_t k = 0; k < other.names_.size(); ++k) mine.push_back(intern(other.names_[k], other.first_line_[k]));
  const auto shift = static_cast<Index>(labels_.size());
  for (const std::int32_t label : other.labels_) labels_.push_back(mine[static_cast<std::size_t>(label)]);
  for (std::size_t k = 1; k < other.offsets_.size(); ++k) offsets_.push_back(other.offsets_[k] + shift);
}

}  // namespace clade
