#pragma once

#include <clade/types.h>

#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace clade {

// The classes of every row: of row r those from offsets[r] up to offsets[r + 1], ascending.
struct RowClasses {
  std::span<const Index> offsets;
  std::span<const std::int32_t> classes;

  std::span<const std::int32_t> of(Index row) const {
    const auto begin = static_cast<std::size_t>(offsets[static_cast<std::size_t>(row)]);
    return classes.subspan(begin, static_cast<std::size_t>(offsets[static_cast<std::size_t>(row) + 1]) - begin);
  }
};

// One class for every row.
class SingleClasses {
 public:
  explicit SingleClasses(std::span<const std::int32_t> label) : offsets_(label.size() + 1), label_(label) {
    std::iota(offsets_.begin(), offsets_.end(), Index{0});
  }
  RowClasses classes() const { return {offsets_, label_}; }

 private:
  std::vector<Index> offsets_;
  std::span<const std::int32_t> label_;
};

}  // namespace clade
