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
  // A part is either a class (its number in Dendrogram::classes) or an earlier merge (its number plus the number of
  // classes). first < second.
  Index first = 0;
  Index second = 0;
  double distance = 0;       // between the two parts; never smaller than that of the merges they come from
  Index size = 0;            // number of classes
  double inconsistency = 0;  // of this link, compared with the links below it
  int cuts = 0;              // number of taxonomy levels that separate the two parts; 0: they stay together
};

// How classes were joined, nearest first, until one part was left. There is one merge fewer than classes.
struct Dendrogram {
  std::vector<std::string> classes;  // only those with samples
  std::vector<Index> samples;        // of each class
  std::vector<Merge> merges;
  int levels = 2;                   // levels of the taxonomy below the root; the last are the classes
  std::optional<double> threshold;  // links with a larger inconsistency were cut; empty: not cut by inconsistency
};

// An inner node of a learnt taxonomy.
struct ClassCluster {
  std::string name;
  std::string parent;
  std::vector<std::string> classes;  // all classes below it
};

// A hierarchy learnt for classes that had none.
struct LearnedTaxonomy {
  Taxonomy taxonomy;
  std::vector<ClassCluster> clusters;  // the inner nodes below the root, parents first
  Dendrogram dendrogram;
  std::string method;
  std::vector<std::pair<std::string, std::string>> parameters;  // by name, as text
  std::vector<std::string> notes;
  double memory = 0;  // bytes that the work took beside the data, approximately
  double seconds = 0;
};

struct LearnTaxonomyOptions {
  std::string method = "agglomerative";
  Parameters parameters;       // of the method
  Scale scale = Scale::kNone;  // or kUnit
  std::string memory;          // for the work, beside the data, such as "4G"; empty: most of it
};
void describe(ParameterTable& v, LearnTaxonomyOptions& o);

// All methods that learn a taxonomy, in the order in which they are listed.
std::vector<MethodInfo> taxonomy_learners();

// Checks what can be checked without data: the method, its parameters and the memory. Throws Error (kInput).
void check_request(const LearnTaxonomyOptions& options);

// Learns a hierarchy over the classes of a data set: the labels of its samples, inner nodes included. A hierarchy that
// the data already has is ignored, and the notes say so; its leaves without samples are kept directly below the root.
LearnedTaxonomy learn_taxonomy(const Dataset& data, const LearnTaxonomyOptions& options, Context& ctx);

}  // namespace clade
