#pragma once

#include <clade/experiment.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "experiment/cell_result.h"
#include "pipeline/learning_plan.h"
#include "pipeline/shared_learning.h"

namespace clade {

// Does the work of single cells. Data are read when a cell first needs them, and given up after the last; what cells
// have in common is done once. Safe for threads; the experiment must outlive this.
class CellWork {
 public:
  // `shared_bytes`: for what cells have in common, beside the data.
  CellWork(const Experiment& experiment, double shared_bytes);

  // Throws Error, like the commands that would do the same work. The context has the threads; random numbers come from
  // the seed of the cell, which is that of `ctx` (seed_of()).
  CellResult run(const ExperimentCell& cell, Context& ctx);
  // The same with other data, which stand for a part of those of the cell.
  CellResult run_on(const ExperimentCell& cell, const Dataset& data, Context& ctx);
  // Says that a cell will not be run (again).
  void forget(const ExperimentCell& cell);

  std::uint64_t seed_of(const ExperimentCell& cell) const {
    return experiment_.seed + static_cast<std::uint64_t>(cell.repeat);
  }
  std::shared_ptr<const Dataset> data_of(const ExperimentCell& cell, Context& ctx);

 private:
  struct Slot {
    std::mutex mutex;
    std::shared_ptr<const Dataset> data;
    Index cells = 0;  // that still need it
  };

  const ExperimentData& spec_of(const ExperimentCell& cell) const {
    return experiment_.data[static_cast<std::size_t>(cell.data)];
  }
  const RecipeVariant& variant_of(const ExperimentCell& cell) const;
  Recipe complete(Recipe recipe, const ExperimentCell& cell, const Dataset& data, Context& ctx);
  std::string scope_name(const ExperimentCell& cell) const;
  SharedScope scope_of(const ExperimentCell& cell, const Recipe& recipe);
  Dataset read(const ExperimentCell& cell, const std::string& file, const ReadOptions& reading, Context& ctx) const;
  LearningPlan plan_of(const ExperimentCell& cell, const Dataset& data, std::vector<std::string>& tuned, Context& ctx);
  Dataset over_taxonomy(const ExperimentCell& cell, const Dataset& data, const std::vector<Index>& samples,
                        double& spared, Context& ctx);
  std::function<LearningPlan::Relabel> relabelling(const ExperimentCell& cell);
  Recipe tune(const ExperimentCell& cell, const Dataset& data, const std::vector<Index>& samples,
              std::vector<std::string>& tuned, double& spared, Context& ctx);
  PlannedEvaluation evaluated(const ExperimentCell& cell, const Dataset& data, const LearningPlan& plan, Context& ctx);
  std::vector<Index> folds_of(const ExperimentCell& cell, const Dataset& data, Context& ctx) const;
  Dataset test_data(const ExperimentCell& cell, const Dataset& data, const std::vector<Index>& samples,
                    const LearningPlan& plan, const Model& model, Context& ctx);

  const Experiment& experiment_;
  SharedLearning shared_;
  std::vector<Slot> slots_;
  std::map<std::string, std::vector<ParameterValue>> tops_;  // by selection
};

// How the cells measure, for some measures: scores of all nodes are left out where none needs them.
EvaluateOptions measuring(const EvaluateOptions& options, const std::vector<std::string>& measures);

}  // namespace clade
