#include "classify/cross_calibration.h"

#include <clade/error.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "classify/class_probabilities.h"
#include "classify/class_scores.h"
#include "classify/linear_scores.h"
#include "classify/local/calibration.h"
#include "classify/local/cross_scores.h"
#include "core/parallel.h"
#include "core/progress.h"

namespace clade {
namespace {

constexpr Index kMostScores = 5'000'000;  // of samples x classes, to learn from

// What a classifier leaves to its caller, but scoring needs.
void complete(ModelBody& model, const Dataset& data) {
  model.taxonomy = data.taxonomy();
  model.features = data.features();
}

class CrossCalibration {
 public:
  CrossCalibration(ModelBody& model, const TrainingInput& input, const SharedCalibrationOptions& options,
                   const std::function<ModelBody(const TrainingInput& part)>& train, Context& ctx)
      : model_(model), input_(input), options_(options), train_(train), ctx_(ctx) {
    complete(model_, input.data);
    model_.is_multilabel = has_several_labels(input.data);
    classes_ = scored_classes(model_);
    place_.assign(static_cast<std::size_t>(input.data.taxonomy().size()), -1);
    for (std::size_t c = 0; c < classes_.size(); ++c) {
      place_[static_cast<std::size_t>(classes_[c])] = static_cast<std::int32_t>(c);
    }
    step_ = std::max<Index>(1, input.data.samples() * std::ssize(classes_) / kMostScores);
  }

  void learn() {
    const std::vector<int> fold = dealt_folds(input_.data, options_.folds);
    {
      Progress progress(ctx_, "calibrating", options_.folds);
      for (int left_out = 0; left_out < options_.folds; ++left_out) {
        add_fold(fold, left_out);
        progress.advance();
      }
    }
    fit();
    model_.has_probabilities = true;
  }

 private:
  void add_fold(const std::vector<int>& fold, int left_out) {
    std::vector<Index> inside;
    std::vector<Index> outside;
    for (std::size_t s = 0; s < fold.size(); ++s) {
      (fold[s] == left_out ? inside : outside).push_back(static_cast<Index>(s));
    }
    if (inside.empty() || outside.empty()) return;
    RelearntFeatures learnt = input_.learnt_from(outside);
    const Dataset data = learnt.data.subset(outside);
    const std::vector<NodeTable> tables = node_tables(data);
    TrainingInput part{data, tables, std::move(learnt.features), {}};
    for (const Index s : outside) {
      if (!input_.weight.empty()) part.weight.push_back(input_.weight[static_cast<std::size_t>(s)]);
    }
    ModelBody model = train_(part);
    complete(model, data);
    std::vector<Index> scored;
    for (std::size_t k = 0; k < inside.size(); k += static_cast<std::size_t>(step_)) scored.push_back(inside[k]);
    add_scores(model, learnt.data.subset(scored));
  }

  // Classes that the model of this part does not know, because it has seen none of their samples, get the lowest score.
  void add_scores(const ModelBody& model, const Dataset& held_out) {
    const std::vector<NodeId> known = scored_classes(model);
    const std::size_t first = scores_.size();
    scores_.resize(first + static_cast<std::size_t>(held_out.samples()));
    for_each_class_scores(model, held_out, 0, held_out.samples(), ctx_, [&](Index s, std::span<const double> own) {
      std::vector<double>& row = scores_[first + static_cast<std::size_t>(s)];
      const double threshold = label_threshold(model, own);
      row.assign(classes_.size(), *std::ranges::min_element(own) - threshold);
      for (std::size_t c = 0; c < known.size(); ++c) {
        row[static_cast<std::size_t>(place_[static_cast<std::size_t>(known[c])])] = own[c] - threshold;
      }
    });
    for (Index s = 0; s < held_out.samples(); ++s) {
      std::vector<std::int32_t>& labels = labels_.emplace_back();
      for (const NodeId label : held_out.labels(s)) labels.push_back(place_[static_cast<std::size_t>(label)]);
    }
  }

  void fit() {
    if (model_.is_multilabel) {
      model_.sigmoid = pooled_sigmoid();
      model_.summary.emplace_back("sigmoid of scores", fmt::format("slope {:.4g}, offset {:.4g}", model_.sigmoid->at[0],
                                                                   model_.sigmoid->at[1]));
      return;
    }
    std::vector<std::int32_t> label;
    for (const auto& labels : labels_) label.push_back(labels[0]);
    const SharedSoftmax found = fit_softmax(scores_, label, ctx_);
    model_.nodes[0].temperature = found.temperature;
    model_.doubt = found.doubt;
    model_.summary.emplace_back("softmax of scores", fmt::format("temperature {:.4g}, doubt {:.4g}",
                                                                 model_.nodes[0].temperature, model_.doubt));
  }

  // One sigmoid for all pairs of a sample and a class.
  Calibration pooled_sigmoid() const {
    std::vector<double> scores;
    std::vector<char> is_positive;
    for (std::size_t k = 0; k < scores_.size(); ++k) {
      const std::size_t first = is_positive.size();
      scores.insert(scores.end(), scores_[k].begin(), scores_[k].end());
      is_positive.resize(scores.size(), 0);
      for (const std::int32_t label : labels_[k]) is_positive[first + static_cast<std::size_t>(label)] = 1;
    }
    return fit_sigmoid(scores, is_positive, {});
  }

  ModelBody& model_;
  const TrainingInput& input_;
  const SharedCalibrationOptions& options_;
  const std::function<ModelBody(const TrainingInput& part)>& train_;
  Context& ctx_;
  std::vector<NodeId> classes_;
  std::vector<std::int32_t> place_;  // of a node among the classes
  Index step_ = 1;                   // every how many of the samples held out is used
  std::vector<std::vector<double>> scores_;
  std::vector<std::vector<std::int32_t>> labels_;
};

// The squared error of a softmax as a function of doubt: errors + 2 doubt slopes + doubt^2 curvatures.
struct SquaredError {
  double errors = 0;
  double slopes = 0;
  double curvatures = 0;

  double best_doubt() const {
    constexpr double kMost = 0.5;
    return curvatures > 0 ? std::clamp(-slopes / curvatures, 0.0, kMost) : 0;
  }
  double least() const {
    const double doubt = best_doubt();
    return errors + 2 * doubt * slopes + doubt * doubt * curvatures;
  }
};

SquaredError squared_error(const std::vector<std::vector<double>>& scores, std::span<const std::int32_t> label,
                           double temperature, Context& ctx) {
  constexpr Index kRowsPerTask = 256;
  const double unsure = 1 / (static_cast<double>(scores.size()) + 2);
  return parallel_reduce(
      ctx, std::ssize(scores), kRowsPerTask, SquaredError{},
      [&](Index begin, Index end) {
        SquaredError part;
        for (auto k = static_cast<std::size_t>(begin); k < static_cast<std::size_t>(end); ++k) {
          const double largest = *std::ranges::max_element(scores[k]);
          double sum = 0;
          double squares = 0;
          for (const double s : scores[k]) {
            const double e = std::exp(temperature * (s - largest));
            sum += e;
            squares += e * e;
          }
          squares /= sum * sum;
          const double own = std::exp(temperature * (scores[k][static_cast<std::size_t>(label[k])] - largest)) / sum;
          const double even = 1 / static_cast<double>(scores[k].size());
          const double wanted = (1 - unsure) * own + unsure * even;  // the product with the target
          part.errors += squares - 2 * wanted + (1 - unsure) * (1 - unsure) + unsure * (2 - unsure) * even;
          part.slopes += wanted - squares;
          part.curvatures += squares - even;
        }
        return part;
      },
      [](SquaredError& total, const SquaredError& part) {
        total.errors += part.errors;
        total.slopes += part.slopes;
        total.curvatures += part.curvatures;
      });
}

}  // namespace

void check_calibration(const SharedCalibrationOptions& options, const Dataset& data) {
  const bool has_several = has_several_labels(data);
  if (has_several && options.calibrate == SharedCalibrate::kTemperature) {
    throw usage_error("`calibrate` temperature shares one probability among the classes, and samples have several",
                      "expected `calibrate` sigmoid");
  }
  if (!has_several && options.calibrate == SharedCalibrate::kSigmoid) {
    throw usage_error("`calibrate` sigmoid judges every class by itself, and samples have one label",
                      "expected `calibrate` temperature");
  }
}

void calibrate_at_once(ModelBody& model, const TrainingInput& input, const SharedCalibrationOptions& options,
                       const std::function<ModelBody(const TrainingInput& part)>& train, Context& ctx) {
  CrossCalibration(model, input, options, train, ctx).learn();
}

SharedSoftmax fit_softmax(const std::vector<std::vector<double>>& scores, std::span<const std::int32_t> label,
                          Context& ctx) {
  constexpr double kFirst = -4;  // logarithms of temperatures
  constexpr double kLast = 8;
  constexpr double kStep = 0.25;
  constexpr double kTolerance = 1e-6;
  constexpr double kGolden = 0.6180339887498949;
  if (scores.empty()) return {};
  const auto error = [&](double u) { return squared_error(scores, label, std::exp(u), ctx).least(); };
  double best = kFirst;
  double least = error(best);
  for (double u = kFirst + kStep; u <= kLast; u += kStep) {
    const double now = error(u);
    if (now >= least) continue;
    least = now;
    best = u;
  }
  double low = best - kStep;
  double high = best + kStep;
  double left = high - kGolden * (high - low);
  double right = low + kGolden * (high - low);
  double at_left = error(left);
  double at_right = error(right);
  while (high - low > kTolerance) {
    if (at_left <= at_right) {
      high = right;
      right = left;
      at_right = at_left;
      left = high - kGolden * (high - low);
      at_left = error(left);
    } else {
      low = left;
      left = right;
      at_left = at_right;
      right = low + kGolden * (high - low);
      at_right = error(right);
    }
  }
  const double temperature = std::exp((low + high) / 2);
  return {temperature, squared_error(scores, label, temperature, ctx).best_doubt()};
}

}  // namespace clade
