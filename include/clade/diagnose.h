#pragma once

#include <clade/context.h>
#include <clade/dataset.h>
#include <clade/taxonomy.h>
#include <clade/train.h>
#include <clade/types.h>

#include <optional>
#include <string>
#include <vector>

namespace clade {

// Does a hierarchy fit the data? Are near classes alike, does the hierarchy help a classifier that uses it, where, and
// which edits would make it better?

struct DiagnoseOptions {
  Recipe recipe;  // that is cross-validated; without a classifier: a quick one that decides node by node
  int folds = 5;
  int draws = 10;            // random hierarchies to compare with
  Index permutations = 999;  // of the classes, to test whether near classes are alike
  Index nodes = 50;          // most inner nodes that are looked at one by one
  int edits = 3;             // most edits that are chosen on each half of the samples
  Index fewest = 10;         // samples; classes with fewer are listed
  double alpha = 0.05;       // largest adjusted p-value of an edit that is proposed
};
void describe(ParameterTable& v, DiagnoseOptions& o);

// How alike the centroids of classes are, by their distance in the hierarchy (edges on the shortest path).
struct DistanceRow {
  int distance = 0;
  Index pairs = 0;
  double cosine = 0;  // mean over the pairs
};
struct CentroidFit {
  Index classes = 0;
  bool is_centred = false;  // dense data: the mean of the centroids is taken off first
  std::vector<DistanceRow> rows;
  // Spearman's rank correlation of distance and cosine over all pairs; below 0: near classes are alike. Empty if all
  // distances, or all cosines, are equal.
  std::optional<double> correlation;
  // Share of the permutations of the classes, the given order included, with a correlation that is at most as large.
  double p = 1;
  Index permutations = 0;
};

// The difference of two classifiers on the same held-out samples. Standard errors are those of a mean of paired
// differences. p is two-sided: McNemar's, exact, on the samples that one of them alone has right; with several labels,
// whose sets are seldom exactly right, by the normal distribution of the mean difference in hierarchical F1.
struct PairedGain {
  Index samples = 0;
  double accuracy = 0;
  double accuracy_error = 0;
  double hierarchical_f1 = 0;  // mean over the samples, over the hierarchy of the data
  double hierarchical_f1_error = 0;
  Index only_new = 0;
  Index only_old = 0;
  double p = 1;
};

// A hierarchy, cross-validated. Everything is measured over the hierarchy of the data.
struct HierarchyTrial {
  std::string name;  // given, flat, or the method that learned it
  double accuracy = 0;
  double hierarchical_f1 = 0;
  std::optional<PairedGain> given_gain;  // of the given hierarchy over this one; empty for the given one
  std::string problem;                   // why there are no numbers; empty if there are
};
struct RandomTrials {
  Index draws = 0;
  double accuracy = 0;  // mean and standard deviation over the draws
  double accuracy_deviation = 0;
  double hierarchical_f1 = 0;
  double hierarchical_f1_deviation = 0;
  double best_accuracy = 0;
  double best_hierarchical_f1 = 0;
  Index as_good = 0;  // draws with at least the accuracy of the given one; with several labels, hierarchical F1
  double p = 1;       // (as_good + 1) / (draws + 1)
};

// What an inner node is worth, in two ways.
struct NodeGain {
  std::string node;
  Index classes = 0;  // that have samples at or below it
  Index samples = 0;
  // With everything below it, against the same classes at once, on the samples below the node. Empty if all its
  // children are leaves: both are the same then.
  struct Below {
    double accuracy = 0;
    double flat_accuracy = 0;
    PairedGain gain;
  };
  std::optional<Below> below;
  // As a group: against its children directly below its parent, on the samples below the parent. Empty for the root,
  // and for nodes that are labels or have one child.
  std::optional<PairedGain> as_group;
};

// Two classes below one parent that held-out answers do not tell apart: of the samples of either that were given one of
// the two, the answer does not clearly depend on the class (chi-squared of the four counts, one-sided, 5 %).
struct AlikeSiblings {
  std::string first;
  std::string second;
  std::string parent;
  Index samples = 0;
  double accuracy = 0;
  double larger_share = 0;  // of the samples: what naming the larger class alone would give
  Index mistakes = 0;       // that would be none if the two were one class
};

struct SmallClass {
  std::string name;
  Index samples = 0;
};

struct TaxonomyEdit {
  enum class Kind {
    kMove,      // the class `node` from `from` to `to`
    kRemove,    // the inner node `node`; what is below it goes to `from`, its parent
    kCollapse,  // the same for a node that divides nothing
  };
  Kind kind = Kind::kMove;
  std::string node;
  std::string from;
  std::string to;  // moves only
  // Measured on samples that did not choose the edit; empty for kCollapse, which changes no answer.
  std::optional<PairedGain> gain;
  double p = 1;              // adjusted for the number of edits (Holm)
  bool is_accepted = false;  // part of Diagnosis::edited
};

struct Diagnosis {
  Index samples = 0;  // that have labels
  Index classes = 0;  // that have samples
  std::string classifier;
  int folds = 0;
  bool has_several_labels = false;
  std::optional<CentroidFit> centroids;
  std::vector<HierarchyTrial> trials;  // the given one first
  std::optional<RandomTrials> random;
  std::vector<NodeGain> nodes;  // the root first
  std::vector<AlikeSiblings> alike;
  std::vector<SmallClass> small;
  std::vector<TaxonomyEdit> edits;
  std::optional<PairedGain> edited_gain;  // of all accepted edits together, on all samples: optimistic
  Taxonomy edited;                        // the given one with the accepted edits
  std::vector<std::string> left_out;      // what was not done, and why; one line each
  double seconds = 0;
};

// Cross-validates with the same folds throughout; the vocabulary of texts, learned hierarchies and everything else that
// is learnt are those of the training samples of each fold. Edits are chosen on one half of the samples and measured on
// the other, and the other way round. Throws Error (kInput) if there are too few samples or classes. The result depends
// on the context's seed, not on its threads.
Diagnosis diagnose(const Dataset& data, const DiagnoseOptions& options, Context& ctx);

}  // namespace clade
