#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "classify/cross_calibration.h"
#include "classify/local/level_weights.h"
#include "classify/local/svm_node.h"
#include "classify/local/top_down.h"
#include "classify/node_features.h"
#include "core/parallel.h"
#include "core/progress.h"

namespace clade {
namespace {

struct PathSvmOptions {
  double c = 1;
  Loss loss = Loss::kSquaredHinge;
  double bias = 1;
  double tolerance = 0.1;
  int iterations = 1000;
  Scale scale = Scale::kAuto;
  SharedCalibrationOptions calibration;
  PackOptions pack{.sparse_prune = 0.03};  // all nodes compete, so small weights matter more than within one node
};

template <class V>
void describe(V& v, PathSvmOptions& o) {
  v("c", o.c, positive(), "weight of the training errors against the size of the weights");
  v("loss", o.loss, kLossWords, "loss of a training error");
  v("bias", o.bias, nonnegative(), "value of a constant feature; 0: none");
  v("tolerance", o.tolerance, positive(), "how closely the optimality conditions must be met");
  v("iterations", o.iterations, at_least(1), "largest number of passes over the samples");
  v("scale", o.scale, kLinearScaleWords,
    "standard: features to mean 0 and variance 1; unit: samples to length 1; auto: standard if dense, "
    "unit if dense but mostly 0");
  describe(v, o.calibration);
  describe(v, o.pack);
}

// Is a sample at or below the node?
class Membership {
 public:
  explicit Membership(const Dataset& data) : data_(data), rows_(static_cast<std::size_t>(data.taxonomy().size())) {
    const Taxonomy& taxonomy = data.taxonomy();
    std::vector<NodeId> above;
    for (Index s = 0; s < data.samples(); ++s) {
      above.clear();
      for (const NodeId label : data.labels(s)) {
        above.push_back(label);
        const std::vector<NodeId> more = taxonomy.ancestors(label);
        above.insert(above.end(), more.begin(), more.end());
      }
      std::sort(above.begin(), above.end());
      above.erase(std::unique(above.begin(), above.end()), above.end());
      for (const NodeId node : above) rows_[static_cast<std::size_t>(node)].push_back(s);
    }
  }
  const std::vector<Index>& below(NodeId node) const { return rows_[static_cast<std::size_t>(node)]; }
  std::vector<std::int8_t> signs(NodeId node) const {
    std::vector<std::int8_t> sign(static_cast<std::size_t>(data_.samples()), -1);
    for (const Index s : below(node)) sign[static_cast<std::size_t>(s)] = 1;
    return sign;
  }

 private:
  const Dataset& data_;
  std::vector<std::vector<Index>> rows_;
};

// A linear SVM for every node but the root: the samples below it against all others. A leaf's score is the sum over its
// path of the nodes' decisions, each times a weight of its level. These weights are learnt on estimates, from the dual
// variables (level_weights.h), of the decisions for samples held out of training: a coordinate search finds those with
// the best sum of hierarchical F1 and accuracy. All weight on the leaves gives the flat one-vs-rest classifier.
class PathSvm : public Classifier {
 public:
  ParameterTable parameters() override { return ParameterTable(options_); }

  ModelBody train(const TrainingInput& input, Context& ctx) override {
    check_calibration(options_.calibration, input.data);
    ModelBody model = solve(input, {}, ctx);
    if (options_.calibration.is_wanted()) {
      // The level weights are few, and hold for the parts, too.
      calibrate_at_once(
          model, input, options_.calibration,
          [&](const TrainingInput& part) { return solve(part, model.level_weights, ctx); }, ctx);
    }
    return model;
  }

 private:
  // The level weights are learnt if none are given.
  ModelBody solve(const TrainingInput& input, const std::vector<double>& level_weights, Context& ctx) const {
    std::vector<Index> all(static_cast<std::size_t>(input.data.samples()));
    for (std::size_t s = 0; s < all.size(); ++s) all[s] = static_cast<Index>(s);
    const PreparedScale scaling = prepared_scale(input.data, linear_scale(input.data, options_.scale), ctx);
    const bool has_lists = input.chosen() == ChosenFeatures::kPerNode;
    const std::vector<FeatureIndex> features = features_of_all(input.features);
    const auto rows_of = [&](std::span<const FeatureIndex> chosen) {
      return training_rows(input.data, all,
                           {.features = chosen, .has_unit_length = scaling.has_unit_rows, .scale = &scaling.features});
    };
    const TrainingRows all_rows = has_lists ? TrainingRows() : rows_of(features);
    const Membership membership(input.data);

    ModelBody model;
    model.kind = ModelKind::kPaths;
    NodeClassifier& paths = model.nodes.emplace_back();
    paths.node = 0;
    paths.samples = input.data.samples();
    for (NodeId node = 1; node < input.data.taxonomy().size(); ++node) {
      if (!membership.below(node).empty()) paths.children.push_back(node);
    }
    const std::size_t outputs = paths.children.size();
    std::vector<SparseOutput> weights(outputs);
    std::vector<double> bias(outputs);
    std::vector<std::size_t> level;
    for (const NodeId node : paths.children) {
      level.push_back(static_cast<std::size_t>(input.data.taxonomy().depth(node)) - 1);
    }
    std::optional<HeldOutScores> held_out;
    if (level_weights.empty()) held_out.emplace(input.data.samples(), std::move(level), input.weight, ctx.seed());
    Progress progress(ctx, "training", static_cast<Index>(outputs));
    const double prune = options_.pack.prune_for(input.data);
    parallel_for(ctx, static_cast<Index>(outputs), 1, [&](Index o, Index) {
      const auto at = static_cast<std::size_t>(o);
      const std::vector<std::int8_t> sign = membership.signs(paths.children[at]);
      const HingeOptions hinge{.c = options_.c,
                               .loss = options_.loss,
                               .bias = options_.bias,
                               .tolerance = options_.tolerance,
                               .iterations = options_.iterations,
                               .seed = ctx.seed(),
                               .stream = static_cast<std::uint64_t>(paths.children[at])};
      std::optional<TrainingRows> own_rows;
      if (has_lists) own_rows = rows_of(features_of_node(input, paths.children[at]));
      const TrainingRows& rows = own_rows ? *own_rows : all_rows;
      HingeResult result = hinge_dual(rows, sign, input.weight, {}, hinge, ctx);
      if (held_out && held_out->is_measured(o)) {
        const HingeResult without = hinge_dual(rows, sign, held_out->weight(), result.alpha, hinge, ctx);
        held_out->set(o, rows, result, &without, sign, options_.bias);
      } else if (held_out) {
        held_out->set(o, rows, result, nullptr, sign, options_.bias);
      }
      LinearWeights own{{std::move(result.w)}, {result.bias}};
      scaling.features.undo(rows.features, own);
      weights[at] = pruned(own.w[0], prune);
      for (auto& [column, value] : weights[at]) {
        if (!has_lists) break;
        const FeatureIndex feature = rows.features[static_cast<std::size_t>(column)];
        column = static_cast<std::int32_t>(std::ranges::lower_bound(features, feature) - features.begin());
      }
      bias[at] = own.bias[0];
      progress.advance();
    });
    model.level_weights = level_weights;
    if (held_out) {
      held_out->finish();
      model.level_weights = learn_level_weights(*held_out, paths.children, input.data, ctx);
    }
    const auto storage = std::make_shared<PackedWeights>();
    paths.linear = storage->pack(weights, bias, has_lists ? features : all_rows.features, options_.pack.precision);
    model.storage = storage;
    model.has_unit_rows = scaling.has_unit_rows;
    model.summary.emplace_back("weights", fmt::format("{}", paths.linear.offsets.back()));
    std::string levels;
    for (const double w : model.level_weights) levels += fmt::format("{}{:.3g}", levels.empty() ? "" : ", ", w);
    model.summary.emplace_back("level weights", levels);
    return model;
  }

  PathSvmOptions options_;
};

}  // namespace

std::unique_ptr<Classifier> make_path_svm() {
  return std::make_unique<PathSvm>();
}

}  // namespace clade
