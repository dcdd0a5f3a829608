#include "classify/joint/joint_training.h"

#include <clade/error.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "classify/joint/label_threshold.h"
#include "classify/kernel_expansion.h"
#include "classify/node_features.h"
#include "data/kernel/kernel_check.h"
#include "data/scaling.h"
#include "io/named_table/named_table.h"
#include "io/named_table/node_volumes.h"

namespace clade {
namespace {

std::vector<NodeId> classes_of(const Dataset& data, bool all_classes) {
  const auto leaves = data.taxonomy().leaves();
  if (all_classes) return {leaves.begin(), leaves.end()};
  std::vector<bool> is_seen(static_cast<std::size_t>(data.taxonomy().size()), false);
  for (Index s = 0; s < data.samples(); ++s) {
    for (const NodeId label : data.labels(s)) is_seen[static_cast<std::size_t>(label)] = true;
  }
  std::vector<NodeId> classes;
  for (const NodeId leaf : leaves) {
    if (is_seen[static_cast<std::size_t>(leaf)]) classes.push_back(leaf);
  }
  return classes;
}

SampleClasses class_numbers(const Dataset& data, const std::vector<NodeId>& classes) {
  std::vector<std::int32_t> number(static_cast<std::size_t>(data.taxonomy().size()), -1);
  for (std::size_t y = 0; y < classes.size(); ++y) {
    number[static_cast<std::size_t>(classes[y])] = static_cast<std::int32_t>(y);
  }
  SampleClasses labels;
  for (Index s = 0; s < data.samples(); ++s) {
    for (const NodeId label : data.labels(s)) labels.classes.push_back(number[static_cast<std::size_t>(label)]);
    std::sort(labels.classes.begin() + labels.offsets.back(), labels.classes.end());
    labels.offsets.push_back(std::ssize(labels.classes));
    if (labels.of(s).size() < classes.size()) continue;
    throw usage_error(fmt::format("sample {} has all {} classes as labels", data.sample_name(s), classes.size()),
                      "expected a class at least that it does not have");
  }
  return labels;
}

std::vector<std::string> names_of(const Taxonomy& taxonomy, const std::vector<NodeId>& classes) {
  std::vector<std::string> names;
  for (const NodeId y : classes) names.push_back(taxonomy.name(taxonomy.fold(y)));
  return names;
}

ClassAttributes attributes_for(const HierarchyOptions* options, const Taxonomy& taxonomy,
                               const std::vector<NodeId>& classes, Context& ctx) {
  if (options == nullptr) return flat_attributes(classes);
  const std::vector<std::string> names = names_of(taxonomy, classes);
  if (!options->class_attributes.empty()) {
    return given_attributes(read_named_table(options->class_attributes, ctx).rows_for(names));
  }
  if (!options->class_similarity.empty()) {
    return attributes_of_similarity(read_named_table(options->class_similarity, ctx).square_for(names));
  }
  if (options->attributes == AttributeChoice::kFlat) return flat_attributes(classes);
  return path_attributes(taxonomy, classes, options->attributes == AttributeChoice::kPathNormalised);
}

std::vector<double> volumes_of(const HierarchyOptions& options, const Taxonomy& taxonomy, Context& ctx) {
  if (!options.node_volumes.empty()) return read_node_volumes(options.node_volumes, taxonomy, ctx);
  return std::vector<double>(static_cast<std::size_t>(taxonomy.size()), 1);
}

ClassLoss loss_for(const HierarchyOptions* options, const Taxonomy& taxonomy, const std::vector<NodeId>& classes,
                   Context& ctx) {
  if (options == nullptr) return ClassLoss::zero_one(std::ssize(classes));
  if (!options->loss_matrix.empty()) {
    return ClassLoss::given(read_named_table(options->loss_matrix, ctx).square_for(names_of(taxonomy, classes)));
  }
  switch (options->loss) {
    case ClassLossChoice::kZeroOne:
      return ClassLoss::zero_one(std::ssize(classes));
    case ClassLossChoice::kTreeNormalised:
      return ClassLoss::tree_normalised(taxonomy, classes);
    case ClassLossChoice::kWeighted:
      return ClassLoss::weighted(taxonomy, classes, volumes_of(*options, taxonomy, ctx), options->missed_cost,
                                 options->extra_cost);
    case ClassLossChoice::kTree:
      break;
  }
  return ClassLoss::tree(taxonomy, classes);
}

void say_zeros(Index zeros, Context& ctx) {
  if (zeros == 0) return;
  ctx.info(fmt::format("{} {} no value that is not 0: nothing can be learnt from {}", zeros,
                       zeros == 1 ? "sample has" : "samples have", zeros == 1 ? "it" : "them"));
}

PreparedScale learnt_scale(const TrainingInput& input, Scale choice, Context& ctx) {
  const Dataset& data = input.data;
  if (choice == Scale::kAuto) choice = has_few_values(data) ? Scale::kUnit : Scale::kStandard;
  return prepared_scale(input.scale_samples.empty() ? data : data.subset(input.scale_samples), choice, ctx);
}

// A feature that is 0 in all of these samples need not be 0 once it is scaled by the numbers of others.
std::vector<FeatureIndex> features_that_vary(const FeatureScale& scale) {
  std::vector<FeatureIndex> features;
  for (std::size_t f = 0; f < scale.factor.size(); ++f) {
    if (scale.factor[f] != 0) features.push_back(static_cast<FeatureIndex>(f));
  }
  return features;
}

std::vector<std::vector<FeatureIndex>> allowed_features(const TrainingInput& input, const ClassAttributes& attributes) {
  if (input.chosen() == ChosenFeatures::kAll) return {};
  if (input.chosen() == ChosenFeatures::kSame) return {input.features[0]};
  std::vector<std::vector<FeatureIndex>> allowed;
  const bool is_flat = attributes.count == attributes.classes();
  for (const NodeId node : attributes.nodes) {
    allowed.push_back(is_flat ? features_of_path(input, node) : features_of_node(input, node));
  }
  return allowed;
}

void add_rows(const TrainingInput& input, const JointSettings& settings, const JointStart* start, JointData& result,
              Context& ctx) {
  const Dataset& data = input.data;
  const JointOptions& options = settings.joint;
  if (start != nullptr) require_squares(data, ctx);
  result.scaling = start != nullptr ? start->scaling : learnt_scale(input, options.scale, ctx);
  result.allowed = start != nullptr ? start->allowed : allowed_features(input, result.problem.attributes);
  result.bias = options.bias;
  std::vector<Index> all(static_cast<std::size_t>(data.samples()));
  std::iota(all.begin(), all.end(), Index{0});
  RowOptions row_options{.has_unit_length = result.scaling.has_unit_rows,
                         .scale = &result.scaling.features,
                         .may_be_made = settings.reads_rows_in_order};
  std::vector<FeatureIndex> features =
      result.allowed.empty() ? features_that_vary(result.scaling.features) : features_of_all(result.allowed);
  std::erase_if(features, [&](FeatureIndex f) { return f >= data.features(); });  // data that go on may have fewer
  if (features.empty() && !result.allowed.empty()) {
    throw usage_error("the data have none of the features that the model uses", "expected some of them");
  }
  row_options.features = features;
  result.rows = training_rows(data, all, row_options, ctx);
  Index zeros = 0;
  for (Index r = 0; r < result.rows.rows(); ++r) {
    zeros += result.rows.columns_of(r).empty() ? 1 : 0;
  }
  say_zeros(zeros, ctx);
  if (options.bias > 0) result.rows = with_constant(result.rows, options.bias);
}

void add_kernel_samples(const TrainingInput& input, const JointOptions& options, const KernelOptions& kernel,
                        JointData& result, Context& ctx) {
  const Dataset& data = input.data;
  if (kernel.kind == KernelKind::kPrecomputed) {
    std::vector<std::string> notes;
    check_precomputed(data, notes, ctx);
    for (const std::string& note : notes) ctx.info(note);
  }
  if (is_of_vectors(kernel.kind)) require_squares(data, ctx);
  result.scaling.has_unit_rows = options.scale != Scale::kNone && is_of_vectors(kernel.kind);
  std::vector<Index> all(static_cast<std::size_t>(data.samples()));
  std::iota(all.begin(), all.end(), Index{0});
  result.samples.emplace(data, all, kernel, result.scaling.has_unit_rows, ctx);
  result.kernel = with_gamma(kernel, *result.samples);
  if (const Index shorter = result.samples->short_strings(); shorter > 0) {
    ctx.info(fmt::format("{} {} shorter than {} symbols: nothing can be learnt from {}", shorter,
                         shorter == 1 ? "sequence is" : "sequences are", kernel.subsequence_length,
                         shorter == 1 ? "it" : "them"));
  }
}

// Turns weights for scaled features into weights for plain ones.
void undo_scale(const FeatureScale& scale, const std::vector<FeatureIndex>& features, SparseOutput& output,
                double& bias) {
  if (scale.is_none()) return;
  for (auto& [column, value] : output) {
    const auto f = static_cast<std::size_t>(features[static_cast<std::size_t>(column)]);
    value *= scale.factor[f];
    bias -= value * scale.mean[f];
  }
}

// The weights of a feature, by attribute.
template <class T>
void row_of(const AttributeWeights<T>& weights, Index feature, SparseOutput& row) {
  row.clear();
  weights.for_each(feature, [&](std::int32_t z, T value) { row.emplace_back(z, static_cast<double>(value)); });
}

}  // namespace

void check_settings(const JointSettings& settings, ChosenFeatures chosen) {
  const HierarchyOptions& hierarchy = settings.hierarchy;
  if (!hierarchy.class_attributes.empty() && !hierarchy.class_similarity.empty()) {
    throw usage_error("`class-attributes` and `class-similarity` both say what classes share", "expected one of them");
  }
  if (!hierarchy.node_volumes.empty() && hierarchy.loss != ClassLossChoice::kWeighted) {
    throw usage_error("`node-volumes` has no effect", "expected `loss` weighted with it");
  }
  if (settings.kernel.kind == KernelKind::kLinear) {
    if (chosen != ChosenFeatures::kPerNode) return;
    if (hierarchy.class_attributes.empty() && hierarchy.class_similarity.empty()) return;
    throw usage_error(
        "features were chosen for every node, and `class-attributes` and `class-similarity` know no nodes",
        "expected a ranking for the whole data set");
  }
  if (chosen != ChosenFeatures::kAll) {
    throw usage_error("features are selected for linear classifiers", "expected `kernel` linear with a ranking");
  }
  if (settings.kernel.kind == KernelKind::kPrecomputed && settings.joint.calibration.is_wanted()) {
    throw usage_error("`calibrate` learns from parts of the samples, and a precomputed kernel belongs to all of them",
                      "expected another `kernel`, or `calibrate` none");
  }
  if (settings.joint.bias > 0) {
    throw usage_error("`bias` has no effect with a kernel", "expected `kernel` linear with it");
  }
  if (settings.joint.scale == Scale::kStandard) {
    throw usage_error("`scale` standard is for `kernel` linear", "expected unit or none");
  }
}

JointData joint_data(const TrainingInput& input, const JointSettings& settings, Context& ctx, const JointStart* start) {
  check_settings(settings, input.chosen());
  const Dataset& data = input.data;
  const JointOptions& options = settings.joint;
  const HierarchyOptions* const hierarchy = settings.is_flat ? nullptr : &settings.hierarchy;
  std::vector<NodeId> classes = classes_of(data, options.classes == ClassChoice::kAll);
  if (classes.size() < 2) throw usage_error("there is one class only", "expected two classes or more to tell apart");
  SampleClasses labels = class_numbers(data, classes);
  ClassAttributes attributes = attributes_for(hierarchy, data.taxonomy(), classes, ctx);
  ClassLoss loss = loss_for(hierarchy, data.taxonomy(), classes, ctx);
  JointData result{
      {std::move(classes), std::move(attributes), std::move(loss), std::move(labels)}, {}, {}, {}, 0, {}, {}};
  if (settings.kernel.kind == KernelKind::kLinear) {
    add_rows(input, settings, start, result, ctx);
  } else {
    add_kernel_samples(input, options, settings.kernel, result, ctx);
  }
  return result;
}

FeatureMask mask_of(const JointData& data) {
  return data.allowed.size() > 1 ? FeatureMask(data.allowed, data.rows.features) : FeatureMask();
}

template <class T>
ModelBody joint_model(const JointData& data, const AttributeWeights<T>& weights, const JointOptions& options,
                      const Dataset& samples, Context& ctx) {
  const bool has_constant = data.bias > 0;
  const Index width = weights.features() - (has_constant ? 1 : 0);
  std::vector<double> bias(static_cast<std::size_t>(weights.attributes()), 0);
  if (has_constant) {
    weights.for_each(width, [&](std::int32_t z, T value) {
      bias[static_cast<std::size_t>(z)] = data.bias * static_cast<double>(value);
    });
  }
  std::vector<FeatureIndex> features = data.rows.features;
  features.resize(static_cast<std::size_t>(width));
  const auto storage = std::make_shared<PackedWeights>();
  const double prune = options.pack.prune_for(samples);
  LinearOutputs packed;
  if (prune == 0 && data.scaling.features.is_none()) {
    packed = storage->pack_columns([&](Index f, SparseOutput& row) { row_of(weights, f, row); }, bias, features,
                                   options.pack.precision, ctx);
  } else {
    std::vector<SparseOutput> outputs(bias.size());
    for (Index f = 0; f < width; ++f) {
      weights.for_each(f, [&](std::int32_t z, T value) {
        outputs[static_cast<std::size_t>(z)].emplace_back(static_cast<std::int32_t>(f), static_cast<double>(value));
      });
    }
    for (std::size_t z = 0; z < outputs.size(); ++z) {
      undo_scale(data.scaling.features, features, outputs[z], bias[z]);
      outputs[z] = pruned(std::move(outputs[z]), prune);
    }
    packed = storage->pack(outputs, bias, features, options.pack.precision);
  }

  ModelBody model;
  model.kind = ModelKind::kClasses;
  model.attributes = data.problem.attributes;
  NodeClassifier& all = model.nodes.emplace_back();
  all.node = 0;
  all.children = data.problem.classes;
  all.samples = samples.samples();
  all.linear = packed;
  model.storage = storage;
  model.features = samples.features();
  model.has_unit_rows = data.scaling.has_unit_rows;
  model.summary.emplace_back("classes", fmt::format("{}", data.problem.classes.size()));
  model.summary.emplace_back("weights", fmt::format("{}", all.linear.offsets.back()));
  return model;
}

template ModelBody joint_model(const JointData&, const AttributeWeights<float>&, const JointOptions&, const Dataset&,
                               Context&);
template ModelBody joint_model(const JointData&, const AttributeWeights<double>&, const JointOptions&, const Dataset&,
                               Context&);

ModelBody joint_model(const JointData& data, const KernelScores::Coefficients& coefficients, const Dataset& samples,
                      Context& ctx) {
  std::vector<Index> support;
  std::vector<Index> offsets{0};
  std::vector<std::int32_t> attributes;
  std::vector<double> values;
  for (std::size_t j = 0; j < coefficients.size(); ++j) {
    for (const AttributeChange& c : coefficients[j]) {
      if (!std::isfinite(c.value)) {
        throw usage_error("the coefficients are beyond the range of numbers", "expected values of a usual size");
      }
      if (c.value == 0) continue;
      attributes.push_back(c.attribute);
      values.push_back(c.value);
    }
    if (std::ssize(values) == offsets.back()) continue;
    support.push_back(static_cast<Index>(j));
    offsets.push_back(std::ssize(values));
  }
  ModelBody model;
  model.kind = ModelKind::kClasses;
  model.attributes = data.problem.attributes;
  NodeClassifier& all = model.nodes.emplace_back();
  all.node = 0;
  all.children = data.problem.classes;
  all.samples = samples.samples();
  model.features = samples.features();
  model.has_unit_rows = data.scaling.has_unit_rows;
  KernelExpansion expansion{.options = data.kernel,
                            .support = KernelSamples(data.samples->arrays(support), data.kernel, ctx),
                            .offsets = std::move(offsets),
                            .attributes = std::move(attributes),
                            .values = std::move(values)};
  for (const Index j : support) {
    expansion.names.push_back(samples.sample_name(j));
    const auto labels = samples.labels(j);
    expansion.labels.insert(expansion.labels.end(), labels.begin(), labels.end());
    expansion.label_offsets.push_back(std::ssize(expansion.labels));
  }
  model.kernel = std::make_shared<const KernelExpansion>(std::move(expansion));
  model.summary.emplace_back("classes", fmt::format("{}", data.problem.classes.size()));
  model.summary.emplace_back("support samples", fmt::format("{}", support.size()));
  return model;
}

LinearOutputs packed_state(const JointData& data, const AttributeWeights<double>& weights, PackedWeights& storage,
                           Context& ctx) {
  const std::vector<double> bias(static_cast<std::size_t>(weights.attributes()), 0);
  return storage.pack_columns([&](Index f, SparseOutput& row) { row_of(weights, f, row); }, bias, data.rows.features,
                              WeightPrecision::kDouble, ctx);
}

void add_state(const LinearOutputs& state, const JointData& data, AttributeWeights<double>& weights) {
  std::visit(
      [&](const auto& outputs, const auto& values) {
        std::vector<AttributeChange> changes;
        for (std::size_t k = 0; k < state.features.size(); ++k) {
          const auto place = std::lower_bound(data.rows.features.begin(), data.rows.features.end(), state.features[k]);
          changes.clear();
          for (auto e = static_cast<std::size_t>(state.offsets[k]); e < state.offsets[k + 1]; ++e) {
            changes.push_back({static_cast<std::int32_t>(outputs[e]), static_cast<double>(values[e])});
          }
          weights.add(place - data.rows.features.begin(), 1, changes);
        }
      },
      state.outputs, state.weights);
}

void add_threshold(ModelBody& model, const TrainingInput& input, const JointOptions& options, Context& ctx) {
  const bool is_wanted = options.threshold == LearnThreshold::kAuto ? has_several_labels(input.data)
                                                                    : options.threshold == LearnThreshold::kYes;
  if (is_wanted) model.threshold = learn_threshold(model, input.data, ctx);
}

}  // namespace clade
