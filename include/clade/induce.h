#pragma once

#include <clade/taxonomy.h>
#include <clade/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace clade {

// One step of agglomerative clustering: two parts become one.
struct Merge {
  // A part is a class (its number in Dendrogram::classes), or the number of classes plus the number of an earlier
  // merge. first < second.
  Index first = 0;
  Index second = 0;
  double distance = 0;       // between the two parts; no smaller than that of the merges they come from
  Index size = 0;            // classes in it
  double inconsistency = 0;  // of the link, by itself and the links it builds on
  int cuts = 0;              // at how many levels of the taxonomy its parts are apart; 0: they stay together
};

// How classes were joined, nearest first, until one part was left: one merge less than classes.
struct Dendrogram {
  std::vector<std::string> classes;  // those that have samples
  std::vector<Index> samples;        // of each class
  std::vector<Merge> merges;
  int levels = 2;                   // of the taxonomy below the root; the classes are the last
  std::optional<double> threshold;  // links of a larger inconsistency were cut; none: cut by other rules, or no link
};

// An inner node that was learned.
struct ClassCluster {
  std::string name;
  std::string parent;
  std::vector<std::string> classes;  // all below it
};

// A hierarchy over classes that had none.
struct LearnedTaxonomy {
  Taxonomy taxonomy;
  std::vector<ClassCluster> clusters;  // the inner nodes below the root, parents first
  Dendrogram dendrogram;
  std::string method;
  std::vector<std::pair<std::string, std::string>> parameters;  // by name, as text
  std::vector<std::string> notes;
  double memory = 0;  // bytes that the work took beside the data, about
  double seconds = 0;
};

struct TaxonomyLearnerInfo {
  std::string_view name;
  std::string_view help;
  std::string_view source;
};
// All methods that learn a taxonomy, in the order in which they are listed.
std::vector<TaxonomyLearnerInfo> taxonomy_learners();

}  // namespace clade
