#pragma once

#include <clade/context.h>
#include <clade/evaluate.h>
#include <clade/io.h>
#include <clade/learn.h>
#include <clade/predict.h>
#include <clade/split.h>
#include <clade/train.h>
#include <clade/types.h>

#include <string>
#include <vector>

namespace clade {

// Many recipes on many data sets, described by one file (docs/experiment.md). Each piece of work is a cell: a recipe
// with its parameters on a data set, that is, one cross-validation, or one training and its test.

struct ExperimentData {
  std::string name;
  std::string file;       // all samples, or the training samples
  std::string test;       // the test samples; empty: they are taken from `file`
  std::string select_on;  // features are selected on the samples of this file, before; empty: on the training samples
  ReadOptions reading;
  PrepareOptions keep;                // what is used of the samples that were read
  Missing missing = Missing::kError;  // of the recipes: kMean is learnt from the training samples
  int folds = 0;                      // drawn
  std::string fold_file;              // or given
  double holdout = 0;                 // or this share of the samples is the test part
  std::vector<Index> per_class;       // learn from so many samples of every class; empty: from all
  int repeats = 1;                    // repeat r draws with seed + r
};

// The taxonomy that the recipes learn with. Predictions are always measured over the one of the data set.
struct ExperimentTaxonomy {
  enum class Kind { kGiven, kFlat, kRandom, kLearned };
  std::string name;
  Kind kind = Kind::kGiven;
  int draws = 1;               // of random ones
  LearnTaxonomyOptions learn;  // from the training samples
};

// A recipe with all grids resolved.
struct RecipeVariant {
  std::string parameters;          // what tells it from the other variants: "c=0.1 top=10"
  Recipe recipe;                   // the first of the candidates
  std::vector<Recipe> candidates;  // among which tuning chooses; empty: it does not
  std::vector<std::string> candidate_parameters;
};

// Which predictions an experiment keeps in files.
enum class KeptPredictions {
  kNone,
  kSets,    // the labels of each sample, as they are measured
  kRanked,  // all labels that the classifier ranks
};

struct ExperimentRecipe {
  std::string name;
  std::vector<RecipeVariant> variants;
  int orders = 0;                       // random orders of the training samples; 0: as they stand in the file
  std::vector<std::string> data;        // only on these; empty: on all
  std::vector<std::string> taxonomies;  // only over these; empty: over all
  KeptPredictions predictions = KeptPredictions::kNone;
};

// How parameters are chosen inside the training part.
struct TuneOptions {
  int folds = 3;
  std::string measure = "hierarchical_f1";
  // Successive halving: all candidates on a part of the training samples, the better half on twice as many, and so on.
  bool halving = false;
  // The most work, in candidates that are cross-validated on all training samples; 0: as much as it takes. Halving uses
  // parts of the samples that fit into it, and searching a whole grid that does not fit is refused.
  Index budget = 0;
};
void describe(ParameterTable& v, TuneOptions& o);

// The numbers of what makes up a cell. All count from 0.
struct ExperimentCell {
  Index data = 0;
  Index per_class = 0;  // samples per class; 0: all
  Index repeat = 0;
  Index taxonomy = 0;
  Index draw = 0;  // of a random taxonomy
  Index recipe = 0;
  Index variant = 0;
  Index order = 0;
};

struct Experiment {
  std::string path;  // of the file
  std::uint64_t seed = 1;
  std::vector<std::string> measures;
  EvaluateOptions evaluate;
  PredictOptions predict;
  TuneOptions tune;
  std::vector<ExperimentData> data;
  std::vector<ExperimentTaxonomy> taxonomies;
  std::vector<ExperimentRecipe> recipes;
  // Cells that share work stand together.
  std::vector<ExperimentCell> cells;
  // Every part of the file by name ("recipe 'svm'"), in a form that does not depend on how it is written: a run goes on
  // only if all are the same.
  std::vector<std::pair<std::string, std::string>> parts;

  // "svm c=0.1", with the taxonomy if there are several.
  std::string method_name(const ExperimentCell& cell) const;
  // "dd", "dd k=5"
  std::string data_name(const ExperimentCell& cell) const;
  // All of a cell in one line.
  std::string cell_name(const ExperimentCell& cell) const;
};

// Reads and checks an experiment completely, except what only the data tell. `seed` is used if the file has none.
// Throws Error (kInput) with the line.
Experiment read_experiment(const std::string& path, std::uint64_t seed = 1);

struct ExperimentOptions {
  bool resume = false;  // go on with a run that was interrupted
  // Of this process for everything, such as "4G"; empty: most of it. Cells wait for each other to stay within it.
  std::string memory;
};
void describe(ParameterTable& v, ExperimentOptions& o);

struct FailedCell {
  std::string cell;
  std::string error;
};

struct ExperimentOutcome {
  Index cells = 0;
  Index resumed = 0;  // that were already there
  std::vector<FailedCell> failed;
  double seconds = 0;
  double cell_seconds = 0;   // the work of the cells themselves, all threads together
  double table_seconds = 0;  // tests and tables at the end
  std::string table;         // the means over folds and repeats, for people
};

// Runs all cells and writes into `folder`: journal.sqlite, in which every finished cell is kept at once, results.csv,
// summary.json, tables.md and tables.tex, and predictions/, if they are to be kept. Cells run side by side on the
// threads of the context. A cell that fails does not stop the others. Values depend neither on the threads nor on
// interruptions. Throws Error (kInput) if the folder is not empty, unless it resumes; and if it resumes and the
// experiment, the data or the version of Clade is another.
//
// The processes of a team (clade/team.h) share the cells, and get the same outcome. The leader alone sees `folder`.
// Throws Error (kInput) if they do not have the same experiment and data.
ExperimentOutcome run_experiment(const Experiment& experiment, const std::string& folder,
                                 const ExperimentOptions& options, Context& ctx);

// What the cells of one recipe on one data set will take.
struct CellEstimate {
  std::string data;
  std::string recipe;
  Index cells = 0;
  double seconds = 0;   // of one cell on one thread
  double memory = 0;    // bytes of one cell, beside the data
  std::string problem;  // why there is no estimate: the cells would fail
};

// Tries the first cell of every recipe on every data set with a part of the samples.
std::vector<CellEstimate> estimate_experiment(const Experiment& experiment, Context& ctx);

}  // namespace clade
