#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "classify/joint/cost_search.h"
#include "classify/joint/joint_svm.h"
#include "classify/joint/joint_training.h"
#include "classify/joint/kernel_svm.h"

namespace clade {
namespace {

constexpr Choice<JointSchedule> kScheduleWords[] = {{JointSchedule::kFast, "fast"},
                                                    {JointSchedule::kPublished, "published"}};

// At such a tolerance, scores computed with floats are off by less than a thousandth of it.
constexpr double kFloatTolerance = 1e-3;

// Is the square of the value still a float with full precision?
bool fits_float_products(double value) {
  constexpr double kLargest = 1e18;
  return value == 0 || (std::abs(value) < kLargest && std::abs(value) > 1 / kLargest);
}

struct SvmOptions {
  double c = 1;
  std::string c_grid;
  int c_folds = 3;
  double tolerance = 0.1;
  int iterations = 1000;
  JointSchedule schedule = JointSchedule::kFast;
  JointSettings common;
};

template <class V>
void describe(V& v, SvmOptions& o) {
  v("c", o.c, positive(), "weight of the training errors against the size of the weights");
  v("c-grid", o.c_grid, "values of `c` to choose from by cross-validation, such as 0.1,0.3,1,3");
  v("c-folds", o.c_folds, between(2, 100), "number of folds for `c-grid`");
  v("tolerance", o.tolerance, positive(), "how closely the optimality conditions must be met");
  v("iterations", o.iterations, at_least(1), "largest number of passes over the samples");
  v("schedule", o.schedule, kScheduleWords,
    "fast: passes over the samples; published: one pair at a time, always the most violating one (slow)");
  describe(v, o.common);
}

class JointSvm : public Classifier {
 public:
  explicit JointSvm(bool is_flat) { svm_.common.is_flat = is_flat; }

  ParameterTable parameters() override { return ParameterTable(svm_); }
  bool takes_sequences() const override { return svm_.common.takes_sequences(); }

  void check(ChosenFeatures chosen) const override {
    check_settings(svm_.common, chosen);
    if (svm_.c_grid.empty()) return;
    parse_costs(svm_.c_grid);
    if (svm_.common.kernel.kind != KernelKind::kLinear) {
      throw usage_error("`c-grid` is for `kernel` linear", "expected `c` C with a kernel");
    }
  }

  ModelBody train(const TrainingInput& input, Context& ctx) override {
    check(input.chosen());
    check_calibration(svm_.common.joint.calibration, input.data);
    ModelBody model = solve(input, ctx);
    if (svm_.common.joint.calibration.is_wanted()) {
      const std::string grid = std::exchange(svm_.c_grid, {});  // the chosen C holds for the parts, too
      calibrate_at_once(
          model, input, svm_.common.joint.calibration, [&](const TrainingInput& part) { return solve(part, ctx); },
          ctx);
      svm_.c_grid = grid;
    }
    return model;
  }

 private:
  ModelBody solve(const TrainingInput& input, Context& ctx) {
    const JointData data = joint_data(input, svm_.common, ctx);
    if (data.samples) return train_with_kernel(input, data, ctx);
    const bool is_coarse = svm_.tolerance >= kFloatTolerance && svm_.schedule == JointSchedule::kFast &&
                           std::ranges::all_of(data.rows.values, fits_float_products);
    return is_coarse ? train_with<float>(input, data, ctx) : train_with<double>(input, data, ctx);
  }

  JointSvmOptions solver_options(const Context& ctx) const {
    return {.tolerance = svm_.tolerance, .iterations = svm_.iterations, .seed = ctx.seed(), .schedule = svm_.schedule};
  }
  std::vector<double> costs(const TrainingInput& input) const {
    std::vector<double> cost(static_cast<std::size_t>(input.data.samples()), svm_.c);
    for (std::size_t s = 0; s < input.weight.size(); ++s) cost[s] *= input.weight[s];
    return cost;
  }

  ModelBody train_with_kernel(const TrainingInput& input, const JointData& data, Context& ctx) {
    KernelScores scores(*data.samples, data.kernel, data.problem.attributes.count, ctx);
    JointVariables variables;
    JointSvmOptions options = solver_options(ctx);
    options.shows_progress = true;
    const bool is_fast =
        options.schedule == JointSchedule::kFast && fits_kernel_svm(data.problem, data.kernel, data.samples->size());
    const JointSvmResult result =
        is_fast
            ? solve_kernel_svm(data.problem, scores, costs(input), variables, options, data.kernel.cache_bytes(), ctx)
            : solve_joint_svm(data.problem, scores, costs(input), variables, options, ctx);
    ModelBody model = joint_model(data, scores.coefficients(), input.data, ctx);
    describe_solution(result, model);
    add_threshold(model, input, svm_.common.joint, ctx);
    return model;
  }

  template <class T>
  ModelBody train_with(const TrainingInput& input, const JointData& data, Context& ctx) {
    JointSvmOptions options = solver_options(ctx);
    Notes notes;
    if (!svm_.c_grid.empty()) {
      std::string tried;
      double least = std::numeric_limits<double>::infinity();
      for (const CostTrial& trial : try_costs<T>(data, fold_data(input, data, ctx), input.weight,
                                                 parse_costs(svm_.c_grid), svm_.c_folds, options, ctx)) {
        tried += fmt::format("{}{:g}: {:.4f}", tried.empty() ? "" : ", ", trial.c, trial.loss);
        if (trial.loss >= least) continue;
        least = trial.loss;
        svm_.c = trial.c;  // so that the model's parameters show what was chosen
      }
      notes.emplace_back("loss held out by C", tried);
      notes.emplace_back("C", fmt::format("{:g}", svm_.c));
    }
    options.shows_progress = true;
    const Index attributes = data.problem.attributes.count;
    const FeatureMask mask = mask_of(data);
    if (mask.is_none() && DenseScores<T>::suits(data.rows, attributes)) {
      return solved(DenseScores<T>(data.rows, attributes), input, data, options, notes, ctx);
    }
    return solved(LinearScores<T>(data.rows, attributes, &mask), input, data, options, notes, ctx);
  }

  using Notes = std::vector<std::pair<std::string, std::string>>;

  template <class Scores>
  ModelBody solved(Scores scores, const TrainingInput& input, const JointData& data, const JointSvmOptions& options,
                   const Notes& notes, Context& ctx) {
    JointVariables variables;
    const JointSvmResult result = solve_joint_svm(data.problem, scores, costs(input), variables, options, ctx);
    ModelBody model = joint_model(data, scores.weights(), svm_.common.joint, input.data, ctx);
    model.summary.insert(model.summary.end(), notes.begin(), notes.end());
    describe_solution(result, model);
    add_threshold(model, input, svm_.common.joint, ctx);
    return model;
  }

  // The data of a fold: everything learnt from all samples is learnt again without those held out.
  FoldData fold_data(const TrainingInput& input, const JointData& data, Context& ctx) {
    if (!input.relearn && data.scaling.features.is_none()) return {};
    return [&](const std::vector<Index>& samples) {
      RelearntFeatures learnt = input.learnt_from(samples);
      const TrainingInput fold{learnt.data, input.tables, std::move(learnt.features), input.weight, {}, samples};
      return joint_data(fold, svm_.common, ctx);
    };
  }

  // Shows the first ten, then every tenth up to a hundred, and so on, and the last.
  static bool is_shown(std::size_t pass, std::size_t passes) {
    std::size_t step = 1;
    while (pass > 10 * step) step *= 10;
    return pass % step == 0 || pass == passes;
  }

  static void describe_solution(const JointSvmResult& result, ModelBody& model) {
    model.summary.emplace_back("primal objective", fmt::format("{:.8g}", result.primal));
    model.summary.emplace_back("dual objective", fmt::format("{:.8g}", result.dual));
    model.summary.emplace_back("duality gap", fmt::format("{:.4g}", result.gap()));
    model.summary.emplace_back("largest violation", fmt::format("{:.4g}", result.violation));
    model.summary.emplace_back("active variables",
                               fmt::format("{} ({:.3g} of all)", result.active, result.active_ratio()));
    for (std::size_t k = 0; k < result.passes.size(); ++k) {
      if (!is_shown(k + 1, result.passes.size())) continue;
      const JointSvmPass& pass = result.passes[k];
      model.summary.emplace_back(
          fmt::format("pass {}", k + 1),
          fmt::format("violation {:.4g}, dual {:.8g}, primal {:.8g}, gap {:.4g}, active {} ({:.3g})", pass.violation,
                      pass.dual, pass.primal, pass.primal - pass.dual, pass.active,
                      static_cast<double>(pass.active) / result.pairs));
    }
    if (!result.has_converged) model.summary.emplace_back("stopped", "at the limit of passes");
  }

  SvmOptions svm_;
};

}  // namespace

std::unique_ptr<Classifier> make_hierarchical_svm() {
  return std::make_unique<JointSvm>(false);
}

std::unique_ptr<Classifier> make_flat_svm() {
  return std::make_unique<JointSvm>(true);
}

}  // namespace clade
