#pragma once

#include <clade/context.h>
#include <clade/dataset.h>
#include <clade/methods.h>
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

struct LearnTaxonomyOptions {
  std::string method = "agglomerative";
  Parameters parameters;       // of the method
  Scale scale = Scale::kNone;  // or kUnit
  std::string memory;          // that the work may take beside the data, such as "4G"; empty: most of it
};
void describe(ParameterTable& v, LearnTaxonomyOptions& o);

// All methods that learn a taxonomy, in the order in which they are listed.
std::vector<MethodInfo> taxonomy_learners();

// Throws Error (kInput) for what is wrong with the method, its parameters or the memory, whatever the data.
void check_request(const LearnTaxonomyOptions& options);

// Learns a hierarchy over the classes of a data set: the labels that its samples have, inner nodes included. A
// hierarchy that the data has already plays no part, and the notes say so. Leaves of it without samples are kept, below
// the root.
LearnedTaxonomy learn_taxonomy(const Dataset& data, const LearnTaxonomyOptions& options, Context& ctx);

}  // namespace clade
