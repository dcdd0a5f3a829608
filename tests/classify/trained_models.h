#pragma once

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "classify/train.h"
#include "data/random_data.h"

// Models of random data, and what they compute worked out the slow way.
namespace clade::testing {

using clade::Parameters;

inline ModelBody trained(const Dataset& data, const std::string& classifier, const Parameters& parameters = {},
                         int threads = 2) {
  Context ctx({.threads = threads});
  return train_model(data, {.classifier = classifier, .parameters = parameters, .ranking = {}, .top = 0, .weight = {}},
                     ctx);
}

// Trees and DAGs, dense and sparse, one or several labels, leaves only or inner nodes too, by the bits of `k`.
inline RandomDataOptions random_training_options(int k) {
  RandomDataOptions options;
  options.samples = 45;
  options.seed = static_cast<std::uint64_t>(k) + 1;
  options.dag = k % 2 == 1;
  options.sparse = k / 2 % 2 == 1;
  options.several_labels = k / 4 % 2 == 1;
  options.inner_labels = k / 8 % 2 == 1;
  options.single_precision = k % 3 == 2;
  options.nodes = 6 + k % 11;
  options.density = 0.7;
  return options;
}

struct Method {
  std::string name;
  Parameters parameters;
};

// Every way in which top-down models differ.
inline std::vector<Method> top_down_methods() {
  return {{"top-down-svm", {}},
          {"top-down-svm", {{"multiclass", "one-vs-one"}}},
          {"top-down-svm", {{"multiclass", "crammer-singer"}, {"weights", "double"}}},
          {"top-down-svm", {{"scale", "unit"}, {"prune", "0"}}},
          {"top-down-svm", {{"calibrate", "sigmoid"}}},
          {"top-down-svm", {{"calibrate", "isotonic"}, {"calibration-folds", "3"}}},
          {"top-down-svm", {{"calibrate", "temperature"}}},
          {"top-down-logistic", {}},
          {"top-down-logistic", {{"c", "0.5"}, {"class-weight", "balanced"}, {"calibrate", "temperature"}}},
          {"dnc-svm", {}},
          {"dnc-svm", {{"calibrate", "sigmoid"}, {"bias", "1"}}}};
}

// The weights as a full table: [feature][output].
inline std::vector<std::vector<double>> full_weights(const LinearOutputs& linear, Index features) {
  std::vector<std::vector<double>> full(static_cast<std::size_t>(features),
                                        std::vector<double>(static_cast<std::size_t>(linear.count), 0));
  for (std::size_t k = 0; k < linear.features.size(); ++k) {
    for (std::size_t e = linear.offsets[k]; e < linear.offsets[k + 1]; ++e) {
      const auto output = std::visit([&](auto v) { return static_cast<std::size_t>(v[e]); }, linear.outputs);
      full[static_cast<std::size_t>(linear.features[k])][output] =
          std::visit([&](auto v) { return static_cast<double>(v[e]); }, linear.weights);
    }
  }
  return full;
}

inline std::vector<double> slow_outputs(const ModelBody& model, const LinearOutputs& linear, const Dataset& data,
                                        Index sample) {
  const auto full = full_weights(linear, model.features);
  const std::map<FeatureIndex, double> values = values_of(data, sample);
  double square = 0;
  for (const auto& [f, x] : values) square += x * x;
  const double length = model.has_unit_rows && square > 0 ? std::sqrt(square) : 1;
  std::vector<double> outputs(linear.bias.begin(), linear.bias.end());
  for (const auto& [f, x] : values) {
    for (std::size_t o = 0; o < outputs.size(); ++o) outputs[o] += x / length * full[static_cast<std::size_t>(f)][o];
  }
  return outputs;
}

// Scores of a node's children, and their probabilities after the formulas of clade/model.h.
struct Judged {
  std::vector<double> scores;
  std::vector<double> probabilities;
  bool is_calibrated = false;

  // Where calibration maps scores to probabilities these decide.
  const std::vector<double>& deciding() const { return is_calibrated ? probabilities : scores; }
};

inline double slow_calibrated(const Calibration& calibration, double s) {
  if (calibration.kind == Calibration::Kind::kNone) return 1 / (1 + std::exp(-s));
  if (calibration.kind == Calibration::Kind::kSigmoid) {
    return 1 / (1 + std::exp(calibration.at[0] * s + calibration.at[1]));
  }
  if (s <= calibration.at.front()) return calibration.value.front();
  for (std::size_t k = 1; k < calibration.at.size(); ++k) {
    if (s > calibration.at[k]) continue;
    const double share = (s - calibration.at[k - 1]) / (calibration.at[k] - calibration.at[k - 1]);
    return (1 - share) * calibration.value[k - 1] + share * calibration.value[k];
  }
  return calibration.value.back();
}

inline Judged slow_judgement(const ModelBody& model, const NodeClassifier& node, const Dataset& data, Index sample) {
  Judged judged;
  const std::size_t n = node.children.size();
  if (n == 1) return {{0}, {1}, false};
  const std::vector<double> outputs = slow_outputs(model, node.linear, data, sample);
  if (node.decision == Decision::kScores) {
    judged.scores = outputs;
  } else {
    judged.scores.assign(n, 0);
    std::size_t pair = 0;
    for (std::size_t a = 0; a < n; ++a) {
      for (std::size_t b = a + 1; b < n; ++b) judged.scores[outputs[pair++] > 0 ? a : b] += 1;
    }
  }
  judged.is_calibrated = !node.calibration.empty();
  if (node.decision == Decision::kVotes) {
    for (const double votes : judged.scores) {
      judged.probabilities.push_back(2 * votes / static_cast<double>(n * (n - 1)));
    }
    return judged;
  }
  std::vector<double> logarithms = judged.scores;
  for (std::size_t c = 0; c < n && judged.is_calibrated; ++c) {
    const double p = slow_calibrated(node.calibration[c], judged.scores[c]);
    if (model.is_multilabel) judged.probabilities.push_back(p);
    logarithms[c] = std::log(p);
  }
  if (judged.is_calibrated && model.is_multilabel) return judged;
  for (std::size_t c = 0; c < n; ++c) {
    double others = 0;  // relative to this child
    for (std::size_t o = 0; o < n; ++o) others += std::exp(node.temperature * (logarithms[o] - logarithms[c]));
    judged.probabilities.push_back(1 / others);
  }
  return judged;
}

}  // namespace clade::testing
