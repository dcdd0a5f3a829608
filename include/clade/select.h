#pragma once

#include <clade/context.h>
#include <clade/dataset.h>
#include <clade/methods.h>
#include <clade/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace clade {

// The features of one node, best first.
struct NodeRanking {
  NodeId node = kNoNode;  // of the data's taxonomy; kNoNode: the whole data set
  std::vector<FeatureIndex> ranking;
  std::vector<double> weight;  // in the same order
  // The features that the node shares with its ancestors, best first; empty unless the method is asked to find them.
  std::vector<FeatureIndex> common;
  Index samples = 0;   // below the node
  Index children = 0;  // of the node, only those with samples
};

// How the parameters of a selector without labels were chosen (docs/tuning-unsupervised.md).
struct SelectTuning {
  struct Setting {
    std::vector<std::pair<std::string, std::string>> parameters;  // that the grid varies, by name, as text
    std::optional<double> value;                                  // larger is better; none: the setting is no use
    std::string problem;                                          // why it is no use
  };
  std::string criterion;
  Index features = 0;  // how many of the best features were judged
  std::vector<Setting> settings;
  std::size_t chosen = 0;
};

// The result of a selector: all features of each inner node in order, with weights, and how well the selector did.
struct FeatureRanking {
  std::string method;
  std::vector<std::pair<std::string, std::string>> parameters;  // by name, as text
  std::vector<NodeRanking> nodes;                               // in id order, the root first
  std::vector<double> objective;                                // per iteration; empty if nothing is optimised
  std::optional<double> gap;  // bound on the distance of the objective from its optimum
  // Relative violation of each constraint, by name, per iteration. Empty if there are none.
  std::vector<std::pair<std::string, std::vector<double>>> residuals;
  std::optional<SelectTuning> tuning;
  double seconds = 0;
  std::vector<std::string> notes;
};

// By what the parameters of a selector without labels are chosen.
enum class SelectTune {
  kNone,
  kAuto,            // the better one, as measured
  kStability,       // subsamples give the same features
  kReconstruction,  // the features tell the values of all others
};

// What to select, and how.
struct SelectOptions {
  std::string method;
  Parameters parameters;            // of the method
  std::vector<std::string> nodes;   // by name; empty: all inner nodes
  ParameterValue top;               // features kept at each node: a number, or a share such as "10%"; empty: all
  Scale scale = Scale::kAuto;       // kAuto: by the data for selectors without labels, kNone for the others
  bool bias = false;                // add a feature that is always 1; it is not ranked
  bool allow_zero_weights = false;  // give a ranking although all its weights are 0; otherwise an error
  SelectTune tune = SelectTune::kNone;
  std::string grid;    // of tune: "alpha=0.01,1 beta=1,100"; empty: the method's own
  std::string memory;  // for the work, beside the data, such as "4G"; empty: most of it
};
void describe(ParameterTable& v, SelectOptions& o);

// All selectors, in the order in which they are listed.
std::vector<MethodInfo> selectors();

// Checks what can be checked without data: the method, its parameters, how many features to keep, and the memory.
// Throws Error (kInput).
void check_request(const SelectOptions& options);

// Ranks the features of a data set. Labels at inner nodes are first moved to leaves of their own (with_leaf_labels());
// the nodes of the result belong to that taxonomy. Throws Error (kInput) if every weight is 0 and that is not allowed.
FeatureRanking select(const Dataset& data, const SelectOptions& options, Context& ctx);

// The number of features that "40" or "10%" asks for; at least one. Throws Error (kInput) if the text is neither, or
// asks for more than there are.
Index parse_top(std::string_view text, Index features);

// Reads ranking.json (docs/select.md) for a data set with the same features and hierarchy. Throws Error (kInput) if the
// file is not a ranking, has other features (by name), or has nodes that the taxonomy does not have.
FeatureRanking read_ranking(const std::string& path, const Dataset& data, Context& ctx);
// Writes such a file, which appears whole or not at all; as a table node,rank,feature,weight if its name ends in .csv.
// Equal rankings give equal files: `seconds` is not written.
void write_ranking(const FeatureRanking& ranking, const Dataset& data, const std::string& path, bool overwrite = false);

}  // namespace clade
