#pragma once

#include <clade/learn.h>

#include <string>
#include <vector>

#include "induce/cluster_tree.h"

namespace clade {

// Groups of classes, one within the other, that become a taxonomy: a class stands below the smallest group that has it.
// The root, group 0, has all classes; a group is added after the one around it.
class ClassGroups {
 public:
  explicit ClassGroups(std::vector<std::string> class_names);

  // Adds a group of some of the classes of `parent` and returns its number. Without a name it is numbered in the order
  // of its siblings: cluster-1, below it cluster-1.1, and so on.
  std::size_t add(std::vector<std::size_t> classes, std::size_t parent, std::string name = {});
  // The smallest group that has the class.
  std::size_t group_of(std::size_t class_number) const { return group_of_[class_number]; }
  const std::vector<std::size_t>& classes(std::size_t group) const { return groups_[group].classes; }

  // The root is called root. Where classes have such names, "new-" is put in front of root and cluster; a given name
  // that is taken gets a number.
  ClusterTree tree() const;

 private:
  struct Group {
    std::vector<std::size_t> classes;
    std::size_t parent = 0;
    std::string name;
    std::size_t children = 0;  // groups only
  };

  std::vector<std::string> names_;  // of the classes
  std::string prefix_ = "cluster-";
  std::vector<Group> groups_;
  std::vector<std::size_t> group_of_;
};

}  // namespace clade
