#include "io/parsed.h"

#include <algorithm>

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

void LabelNames::reserve(Index samples, Index labels) {
  offsets_.reserve(offsets_.size() + static_cast<std::size_t>(samples));
  labels_.reserve(labels_.size() + static_cast<std::size_t>(labels));
}

void LabelNames::append(const LabelNames& other, Index first_line) {
  std::vector<std::int32_t> mine;
  mine.reserve(other.names_.size());
  for (std::size_t k = 0; k < other.names_.size(); ++k) {
    const Index line = other.first_line_[k];
    mine.push_back(intern(other.names_[k], line == 0 ? 0 : first_line + line));
  }
  const auto shift = static_cast<Index>(labels_.size());
  const auto samples = static_cast<std::ptrdiff_t>(offsets_.size());
  labels_.resize(labels_.size() + other.labels_.size());
  std::transform(other.labels_.begin(), other.labels_.end(), labels_.begin() + shift,
                 [&mine](std::int32_t label) { return mine[static_cast<std::size_t>(label)]; });
  offsets_.resize(offsets_.size() + other.offsets_.size() - 1);
  std::transform(other.offsets_.begin() + 1, other.offsets_.end(), offsets_.begin() + samples,
                 [shift](Index offset) { return offset + shift; });
}

}  // namespace clade
