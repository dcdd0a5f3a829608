#include <clade/error.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "classify/joint/joint_training.h"
#include "classify/joint/online_learner.h"
#include "core/parallel.h"

namespace clade {
namespace {

enum class Variant { kOnline, kAveraged, kMinover };
constexpr Choice<Variant> kVariantWords[] = {
    {Variant::kOnline, "online"}, {Variant::kAveraged, "averaged"}, {Variant::kMinover, "minover"}};
constexpr Choice<Variant> kHieronVariantWords[] = {{Variant::kOnline, "online"}, {Variant::kAveraged, "averaged"}};

constexpr std::string_view kVariantHelp =
    "online: the last weights; averaged: the mean of all weights; minover: always update the worst sample";
constexpr std::string_view kHieronVariantHelp = "online: the last weights; averaged: the mean of all weights";
constexpr std::string_view kEpochsHelp = "largest number of passes over the samples";

// Linear online learning, from scratch or from a saved state, and the resulting model.
class LinearLearner {
 public:
  LinearLearner(const JointData& data, const TrainingInput& input, bool is_averaged)
      : data_(data),
        input_(input),
        is_averaged_(is_averaged),
        mask_(mask_of(data)),
        scores_(data.rows, data.problem.attributes.count, &mask_) {}

  void continue_from(const LearningState& state) {
    steps_ = state.steps;
    add_state(state.weights, data_, scores_.weights());
    if (!is_averaged_) return;
    scores_.lagged().emplace(scores_.weights().features(), scores_.weights().attributes());
    add_state(state.lagged, data_, *scores_.lagged());
  }

  ModelBody learn(const StepRule& rule, int epochs, const JointOptions& options, Context& ctx) {
    const OnlineResult result =
        pass_over(rule, {.epochs = epochs, .is_averaged = is_averaged_, .weight = input_.weight}, ctx);
    if (is_averaged_ && !scores_.lagged()) {
      scores_.lagged().emplace(scores_.weights().features(), scores_.weights().attributes());
    }
    ModelBody model = is_averaged_ ? joint_model(data_, average(result.steps, ctx), options, input_.data, ctx)
                                   : joint_model(data_, scores_.weights(), options, input_.data, ctx);
    const auto storage = std::make_shared<PackedWeights>();
    LearningState state;
    state.steps = result.steps;
    state.weights = packed_state(data_, scores_.weights(), *storage, ctx);
    if (is_averaged_) state.lagged = packed_state(data_, *scores_.lagged(), *storage, ctx);
    state.scale_mean = data_.scaling.features.mean;
    state.scale_factor = data_.scaling.features.factor;
    state.allowed = data_.allowed;
    model.state = state;
    using Both = std::pair<std::shared_ptr<const void>, std::shared_ptr<const void>>;
    model.storage = std::make_shared<Both>(model.storage, storage);
    describe(result, model);
    return model;
  }

  static void describe(const OnlineResult& result, ModelBody& model) {
    model.summary.emplace_back("updates", fmt::format("{}", result.updates));
    model.summary.emplace_back("active variables", fmt::format("{}", result.active));
    model.summary.emplace_back("epochs", fmt::format("{}", result.epochs));
    model.summary.emplace_back("ranks all training samples rightly", result.is_separated ? "yes" : "no");
  }

 private:
  OnlineResult pass_over(const StepRule& rule, const OnlineOptions& options, Context& ctx) {
    const Index attributes = data_.problem.attributes.count;
    if (scores_.is_masked() || !DenseScores<double>::suits(data_.rows, attributes)) {
      return learn_online(data_.problem, scores_, rule, steps_, options, ctx);
    }
    DenseScores<double> dense(data_.rows, attributes);
    dense.start_from(scores_.weights(), scores_.lagged());
    const OnlineResult result = learn_online(data_.problem, dense, rule, steps_, options, ctx);
    scores_.weights() = dense.weights();
    scores_.lagged() = dense.lagged();
    return result;
  }

  // ((L + 1) w - lagged) / L
  AttributeWeights<double> average(Index steps, Context& ctx) const {
    constexpr Index kFeatures = 128;  // of a task
    const AttributeWeights<double>& weights = scores_.weights();
    AttributeWeights<double> mean(weights.features(), weights.attributes());
    const double count = static_cast<double>(std::max<Index>(1, steps));
    parallel_for(ctx, weights.features(), kFeatures, [&](Index begin, Index end) {
      std::vector<AttributeChange> last;
      std::vector<AttributeChange> changes;
      for (Index f = begin; f < end; ++f) {
        last.clear();
        changes.clear();
        weights.for_each(f, [&](std::int32_t z, double v) { last.push_back({z, (count + 1) / count * v}); });
        auto next = last.begin();
        scores_.lagged()->for_each(f, [&](std::int32_t z, double v) {
          while (next != last.end() && next->attribute < z) changes.push_back(*next++);
          const double own = next != last.end() && next->attribute == z ? (next++)->value : 0;
          changes.push_back({z, own - v / count});
        });
        changes.insert(changes.end(), next, last.end());
        mean.add(f, 1, changes);
      }
    });
    return mean;
  }

  const JointData& data_;
  const TrainingInput& input_;
  bool is_averaged_;
  FeatureMask mask_;
  LinearScores<double> scores_;
  Index steps_ = 0;
};

// Extends the columns of the data by those of a state, so that both have their places.
void add_columns(JointData& data, std::span<const FeatureIndex> features) {
  std::vector<FeatureIndex> all(data.rows.features);
  all.insert(all.end(), features.begin(), features.end());
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  std::vector<std::int32_t> place(data.rows.features.size());
  for (std::size_t k = 0; k < place.size(); ++k) {
    place[k] = static_cast<std::int32_t>(std::lower_bound(all.begin(), all.end(), data.rows.features[k]) - all.begin());
  }
  data.rows.renumber(place, std::move(all));
}

// The scale of the samples that a model has begun with. Models of the first versions did not keep it.
PreparedScale first_scale(const ModelBody& model, const Dataset& data, Scale choice) {
  PreparedScale scale{{model.state->scale_mean, model.state->scale_factor}, model.has_unit_rows};
  const bool is_dense = !is_sparse(data.matrix());
  const bool was_standard = choice == Scale::kStandard || (choice == Scale::kAuto && !scale.has_unit_rows && is_dense);
  if (scale.features.is_none() && was_standard) {
    throw usage_error("the model does not know the scales that it has begun with",
                      "expected one trained by this version, or with `scale` unit or none");
  }
  if (!scale.features.is_none() && (!is_dense || std::ssize(scale.features.mean) != data.features())) {
    throw usage_error("the model has scales of dense data, and the new data are sparse or have other features",
                      "expected the features of the model, with `storage` dense");
  }
  return scale;
}

using MakeData = std::function<JointData(const JointStart& start)>;

ModelBody resumed(const ModelBody& model, const MakeData& make_data, const TrainingInput& input, bool is_averaged,
                  const std::function<StepRule(const JointProblem&)>& rule, int epochs, const JointOptions& options,
                  Context& ctx) {
  if (options.classes == ClassChoice::kSeen) {
    throw usage_error("the model knows only the classes that it has seen", "expected one trained with `classes` all");
  }
  if (!model.state) {
    throw usage_error("the model has no state to go on from", "expected a linear one, online or averaged");
  }
  JointData data = make_data({first_scale(model, input.data, options.scale), model.state->allowed});
  if (data.problem.attributes.count != model.attributes.count || data.problem.classes != model.nodes[0].children) {
    throw usage_error("the model's classes are not those of its hierarchy and parameters",
                      "expected a model as it was written");
  }
  for (const LinearOutputs* const part : {&model.state->weights, &model.state->lagged}) {
    if (data.bias > 0 || part->features.empty() || part->features.back() != kMaxFeatures) continue;
    throw usage_error("the model's state has a constant feature that its parameters do not have",
                      "expected a model as it was written");
  }
  // Weights that have become 0 again still count in the average: either part may have features that the other lacks.
  add_columns(data, model.state->weights.features);
  add_columns(data, model.state->lagged.features);
  LinearLearner learner(data, input, is_averaged);
  learner.continue_from(*model.state);
  ModelBody next = learner.learn(rule(data.problem), epochs, options, ctx);
  next.features = std::max(next.features, model.features);  // the new data may have fewer columns
  add_threshold(next, input, options, ctx);
  if (model.has_probabilities) {
    ctx.info("the model goes on without probabilities: they were learnt for the samples before");
  }
  return next;
}

// Two samples with the same values, each with a class that the other lacks, cannot both be ranked correctly: minover
// would go back and forth between them.
void refuse_contradictions(const JointData& data, const Dataset& samples) {
  std::map<std::vector<std::pair<std::int32_t, double>>, std::vector<Index>> same;
  for (Index i = 0; i < data.rows.rows(); ++i) {
    std::vector<std::pair<std::int32_t, double>> row;
    for (std::size_t k = 0; k < data.rows.columns_of(i).size(); ++k) {
      if (data.rows.values_of(i)[k] != 0) row.emplace_back(data.rows.columns_of(i)[k], data.rows.values_of(i)[k]);
    }
    if (row.empty()) continue;
    auto& others = same[std::move(row)];
    const auto own = data.problem.labels.of(i);
    for (const Index j : others) {
      const auto theirs = data.problem.labels.of(j);
      if (std::ranges::includes(own, theirs) || std::ranges::includes(theirs, own)) continue;
      throw usage_error(fmt::format("samples {} and {} have the same values but different labels: minover would go "
                                    "back and forth between them for ever",
                                    samples.sample_name(j), samples.sample_name(i)),
                        "expected one of them to be removed, or `variant` averaged");
    }
    others.push_back(i);
  }
}

ModelBody calibrated(const TrainingInput& input, const SharedCalibrationOptions& options,
                     const std::function<ModelBody(const TrainingInput& part)>& learn, Context& ctx) {
  check_calibration(options, input.data);
  ModelBody model = learn(input);
  if (options.is_wanted()) calibrate_at_once(model, input, options, learn, ctx);
  return model;
}

struct PerceptronOptions {
  Variant variant = Variant::kAveraged;
  int epochs = 20;
  JointSettings common{.joint = {.scale = Scale::kAuto}};
};
template <class V>
void describe(V& v, PerceptronOptions& o) {
  v("variant", o.variant, kVariantWords, kVariantHelp);
  v("epochs", o.epochs, at_least(1), kEpochsHelp);
  describe(v, o.common);
}

class Perceptron : public Classifier {
 public:
  explicit Perceptron(bool is_flat) { online_.common.is_flat = is_flat; }

  ParameterTable parameters() override { return ParameterTable(online_); }
  void check(ChosenFeatures chosen) const override {
    check_settings(online_.common, chosen);
    if (online_.variant != Variant::kMinover || chosen != ChosenFeatures::kPerNode) return;
    throw usage_error("minover compares samples by the same features at all nodes",
                      "expected a ranking for the whole data set, or another `variant`");
  }
  bool takes_sequences() const override { return online_.common.takes_sequences(); }

  ModelBody train(const TrainingInput& input, Context& ctx) override {
    return calibrated(
        input, online_.common.joint.calibration, [&](const TrainingInput& part) { return learn(part, ctx); }, ctx);
  }

  ModelBody resume(const ModelBody& model, const TrainingInput& input, Context& ctx) override {
    if (online_.variant == Variant::kMinover || online_.common.kernel.kind != KernelKind::kLinear) {
      return Classifier::resume(model, input, ctx);
    }
    const MakeData make = [&](const JointStart& start) { return joint_data(input, settings(), ctx, &start); };
    return resumed(model, make, input, online_.variant == Variant::kAveraged, perceptron_rule, online_.epochs,
                   online_.common.joint, ctx);
  }

 private:
  JointSettings settings() const {
    JointSettings settings = online_.common;
    settings.reads_rows_in_order = online_.variant != Variant::kMinover;
    return settings;
  }

  ModelBody learn(const TrainingInput& input, Context& ctx) const {
    check(input.chosen());
    const JointData data = joint_data(input, settings(), ctx);
    ModelBody model = online_.variant == Variant::kMinover ? minover(input, data, ctx)
                      : data.samples                       ? with_kernel(input, data, ctx)
                                                           : linear(input, data, ctx);
    add_threshold(model, input, online_.common.joint, ctx);
    return model;
  }

  OnlineOptions online_options(const TrainingInput& input) const {
    return {.epochs = online_.epochs, .is_averaged = online_.variant == Variant::kAveraged, .weight = input.weight};
  }

  ModelBody linear(const TrainingInput& input, const JointData& data, Context& ctx) const {
    LinearLearner learner(data, input, online_.variant == Variant::kAveraged);
    return learner.learn(perceptron_rule(data.problem), online_.epochs, online_.common.joint, ctx);
  }

  ModelBody with_kernel(const TrainingInput& input, const JointData& data, Context& ctx) const {
    KernelScores scores(*data.samples, data.kernel, data.problem.attributes.count, ctx);
    const OnlineResult result =
        learn_online(data.problem, scores, perceptron_rule(data.problem), 0, online_options(input), ctx);
    KernelScores::Coefficients coefficients = scores.coefficients();
    if (!scores.lagged().empty()) {
      const auto count = static_cast<double>(result.steps);
      for (std::size_t i = 0; i < coefficients.size(); ++i) {
        for (std::size_t k = 0; k < coefficients[i].size(); ++k) {  // both have the same attributes
          coefficients[i][k].value = ((count + 1) * coefficients[i][k].value - scores.lagged()[i][k].value) / count;
        }
      }
    }
    ModelBody model = joint_model(data, coefficients, input.data, ctx);
    LinearLearner::describe(result, model);
    return model;
  }

  ModelBody minover(const TrainingInput& input, const JointData& data, Context& ctx) const {
    if (!input.weight.empty()) {
      throw usage_error("`sample-weights` has no effect with minover", "expected another `variant` with it");
    }
    if (data.samples) {
      KernelScores scores(*data.samples, data.kernel, data.problem.attributes.count, ctx);
      const OnlineResult result = learn_minover(data.problem, scores, online_options(input), ctx);
      ModelBody model = joint_model(data, scores.coefficients(), input.data, ctx);
      LinearLearner::describe(result, model);
      return model;
    }
    refuse_contradictions(data, input.data);
    // First the rows are compared with each other, then the weights that the coefficients stand for are computed.
    KernelArrays arrays;
    arrays.width = data.rows.width();
    arrays.offsets.assign(data.rows.offsets.begin(), data.rows.offsets.end());
    arrays.columns.assign(data.rows.columns.begin(), data.rows.columns.end());
    arrays.values.assign(data.rows.values.begin(), data.rows.values.end());
    const KernelOptions inner_products{
        .kind = KernelKind::kLinear, .gamma = 1, .cache_megabytes = online_.common.kernel.cache_megabytes};
    const KernelSamples samples(std::move(arrays), inner_products, ctx);
    KernelScores scores(samples, inner_products, data.problem.attributes.count, ctx);
    const OnlineResult result = learn_minover(data.problem, scores, online_options(input), ctx);
    LinearScores<double> linear(data.rows, data.problem.attributes.count);
    for (Index i = 0; i < data.rows.rows(); ++i) linear.add(i, scores.coefficients()[static_cast<std::size_t>(i)]);
    ModelBody model = joint_model(data, linear.weights(), online_.common.joint, input.data, ctx);
    LinearLearner::describe(result, model);
    return model;
  }

  PerceptronOptions online_;
};

struct HieronOptions {
  Variant variant = Variant::kAveraged;
  int epochs = 20;
  bool is_flat = false;
  JointOptions joint{.scale = Scale::kAuto};
};
template <class V>
void describe(V& v, HieronOptions& o) {
  v("variant", o.variant, kHieronVariantWords, kHieronVariantHelp);
  v("epochs", o.epochs, at_least(1), kEpochsHelp);
  v("flat", o.is_flat, "hieron without the hierarchy: classes share nothing, and all mistakes cost the same");
  describe(v, o.joint);
}

class Hieron : public Classifier {
 public:
  ParameterTable parameters() override { return ParameterTable(options_); }
  void check(ChosenFeatures chosen) const override { check_settings({.is_flat = options_.is_flat}, chosen); }

  ModelBody train(const TrainingInput& input, Context& ctx) override {
    return calibrated(
        input, options_.joint.calibration, [&](const TrainingInput& part) { return learn(part, ctx); }, ctx);
  }

  ModelBody learn(const TrainingInput& input, Context& ctx) const {
    const JointData data = make_data(input, nullptr, ctx);
    LinearLearner learner(data, input, options_.variant == Variant::kAveraged);
    ModelBody model = learner.learn(rule(data.problem), options_.epochs, options_.joint, ctx);
    add_threshold(model, input, options_.joint, ctx);
    return model;
  }

  ModelBody resume(const ModelBody& model, const TrainingInput& input, Context& ctx) override {
    const MakeData make = [&](const JointStart& start) { return make_data(input, &start, ctx); };
    return resumed(
        model, make, input, options_.variant == Variant::kAveraged,
        [&](const JointProblem& problem) { return rule(problem); }, options_.epochs, options_.joint, ctx);
  }

 private:
  StepRule rule(const JointProblem& problem) const {
    return hieron_rule(problem, options_.variant == Variant::kAveraged);
  }

  JointData make_data(const TrainingInput& input, const JointStart* start, Context& ctx) const {
    JointData result = joint_data(
        input, {.is_flat = options_.is_flat, .joint = options_.joint, .reads_rows_in_order = true}, ctx, start);
    std::ranges::fill(result.problem.attributes.value, 1.0);
    return result;
  }

  HieronOptions options_;
};

}  // namespace

std::unique_ptr<Classifier> make_hierarchical_perceptron() {
  return std::make_unique<Perceptron>(false);
}

std::unique_ptr<Classifier> make_flat_perceptron() {
  return std::make_unique<Perceptron>(true);
}

std::unique_ptr<Classifier> make_hieron() {
  return std::make_unique<Hieron>();
}

}  // namespace clade
