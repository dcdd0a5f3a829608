#pragma once

#include <clade/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace clade {

// Finds the numbers of names: open addressing with a part of every name's hash beside its number, so that a search
// rarely looks at a name. For many names several times faster to build than a std::unordered_map, which allocates for
// each. The names are kept elsewhere, and must be the same in every call.
class NameIndex {
 public:
  // The first name that repeats an earlier one, or kNoNode: then all names can be found.
  NodeId build(const std::vector<std::string>& names);
  // The number of a name, or kNoNode.
  NodeId find(std::string_view name, const std::vector<std::string>& names) const;

 private:
  struct Slot {
    std::uint32_t hash = 0;
    NodeId node = kNoNode;
  };
  std::vector<Slot> slots_;  // a power of two, at least twice the names
};

}  // namespace clade
