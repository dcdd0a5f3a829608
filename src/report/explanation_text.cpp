#include "report/explanation_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "classify/model_body.h"
#include "report/json_text.h"
#include "report/text_table.h"

namespace clade {
namespace {

std::string feature_name(const Model& model, FeatureIndex feature) {
  return model.feature_names().empty() ? std::to_string(feature)
                                       : model.feature_names()[static_cast<std::size_t>(feature)];
}

bool has_hashed_words(const Model& model) {
  return model.body().vectorizer && model.body().vectorizer->options.hash_bits > 0;
}

constexpr std::string_view kHashedNote = "the words were hashed: the names of features are not known";

std::string joined_names(const Taxonomy& taxonomy, const std::vector<NodeId>& labels) {
  std::string text;
  for (const NodeId label : labels) text += (text.empty() ? "" : ";") + taxonomy.name(taxonomy.fold(label));
  return text;
}

}  // namespace

Explanation explanation_of(const Model& model, const Dataset& data, Index sample, NodeId label, double score,
                           const std::vector<Step>& steps) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  const Taxonomy& taxonomy = model.taxonomy();
  // Features without names are those of the model, in its order.
  const auto name = [&](FeatureIndex feature) {
    return data.has_feature_names() ? data.feature_name(feature) : feature_name(model, feature);
  };
  Explanation result{.sample = data.sample_name(sample),
                     .label = taxonomy.name(label),
                     .score = score,
                     .steps = {},
                     .has_hashed_words = has_hashed_words(model)};
  for (const Step& step : steps) {
    Explanation::NamedStep named{.node = taxonomy.name(step.node),
                                 .child = taxonomy.name(taxonomy.fold(step.child)),
                                 .rival = {},
                                 .probability = model.has_probabilities() ? step.probability : kNone,
                                 .margin = step.margin,
                                 .reasons = {},
                                 .examples = {}};
    if (step.rival != kNoNode) named.rival = taxonomy.name(step.rival);
    for (const Step::Reason& reason : step.reasons) {
      named.reasons.push_back({name(reason.feature), reason.value, reason.contribution});
    }
    for (const Step::Example& example : step.examples) {
      named.examples.push_back(
          {example.name, joined_names(taxonomy, example.labels), example.similarity, example.contribution});
    }
    result.steps.push_back(std::move(named));
  }
  return result;
}

std::string explanation_text(const Explanation& explanation) {
  std::string text = fmt::format("sample {}: {} ({:.3g})\n", explanation.sample, explanation.label, explanation.score);
  if (explanation.has_hashed_words) text += fmt::format("  ({})\n", kHashedNote);
  for (const Explanation::NamedStep& step : explanation.steps) {
    text += fmt::format("  {} -> {}", step.node, step.child);
    if (!step.rival) {
      text += ": the only child with samples\n";
      continue;
    }
    const std::string probability = std::isnan(step.probability) ? "" : fmt::format("p {:.2f}, ", step.probability);
    text += fmt::format("  {}{} {} by {:.3g}\n", probability, step.margin < 0 ? "behind" : "ahead of", *step.rival,
                        std::abs(step.margin));
    for (const Explanation::Reason& reason : step.reasons) {
      const std::string value = std::isnan(reason.value) ? " is missing" : fmt::format(" = {:.3g}", reason.value);
      text += fmt::format("      {:+.3f}  {}{}\n", reason.contribution, reason.feature, value);
    }
    for (const Explanation::Example& example : step.examples) {
      text += fmt::format("      {:+.3f}  like {}{}, similarity {:.3g}\n", example.contribution, example.name,
                          example.labels.empty() ? "" : fmt::format(" ({})", example.labels), example.similarity);
    }
  }
  return text + "\n";
}

std::string explanations_json(Index samples, std::span<const Explanation> explanations) {
  using nlohmann::json;
  json list = json::array();
  for (const Explanation& explanation : explanations) {
    json steps = json::array();
    for (const Explanation::NamedStep& step : explanation.steps) {
      json reasons = json::array();
      for (const Explanation::Reason& reason : step.reasons) {
        reasons.push_back(
            {{"feature", reason.feature}, {"value", reason.value}, {"contribution", reason.contribution}});
      }
      json examples = json::array();
      for (const Explanation::Example& example : step.examples) {
        examples.push_back({{"sample", example.name},
                            {"labels", example.labels},
                            {"similarity", example.similarity},
                            {"contribution", example.contribution}});
      }
      steps.push_back({{"node", step.node},
                       {"child", step.child},
                       {"probability", std::isnan(step.probability) ? json(nullptr) : json(step.probability)},
                       {"rival", step.rival ? json(*step.rival) : json(nullptr)},
                       {"margin", step.rival ? json(step.margin) : json(nullptr)},
                       {"reasons", std::move(reasons)},
                       {"examples", std::move(examples)}});
    }
    list.push_back({{"sample", explanation.sample},
                    {"label", explanation.label},
                    {"score", explanation.score},
                    {"steps", std::move(steps)}});
  }
  return json_text({{"samples", samples}, {"explanations", std::move(list)}});
}

namespace {

// A training sample with its labels.
std::string example_name(const Model& model, const TellingFeatures::Example& example) {
  const std::string labels = joined_names(model.taxonomy(), example.labels);
  return labels.empty() ? example.name : fmt::format("{} ({})", example.name, labels);
}

}  // namespace

std::string telling_features_text(const Model& model, NodeId node, const std::vector<TellingFeatures>& found) {
  std::string text;
  for (const TellingFeatures& one : found) {
    text += fmt::format("{}{} at {}, against {}\n", text.empty() ? "" : "\n", model.taxonomy().name(node),
                        model.taxonomy().name(one.node),
                        model.body().kind == ModelKind::kTopDown ? "its siblings" : "all other classes");
    std::vector<std::vector<std::string>> rows{{"for", "weight", "against", "weight"}};
    for (std::size_t k = 0; k < std::max(one.examples.size(), one.counter_examples.size()); ++k) {
      std::vector<std::string>& row = rows.emplace_back();
      for (const auto* side : {&one.examples, &one.counter_examples}) {
        row.push_back(k < side->size() ? example_name(model, (*side)[k]) : "");
        row.push_back(k < side->size() ? fmt::format("{:+.4g}", (*side)[k].weight) : "");
      }
    }
    for (std::size_t k = 0; k < std::max(one.in_favour.size(), one.against.size()); ++k) {
      std::vector<std::string>& row = rows.emplace_back();
      for (const auto* side : {&one.in_favour, &one.against}) {
        row.push_back(k < side->size() ? feature_name(model, (*side)[k].feature) : "");
        row.push_back(k < side->size() ? fmt::format("{:+.4g}", (*side)[k].weight) : "");
      }
    }
    text += aligned_table(rows, 1);
  }
  if (has_hashed_words(model)) text += fmt::format("\n{}\n", kHashedNote);
  return text;
}

std::string telling_features_json(const Model& model, NodeId node, const std::vector<TellingFeatures>& found) {
  const auto list = [&](const std::vector<TellingFeatures::Weighted>& features) {
    nlohmann::json entries = nlohmann::json::array();
    for (const auto& [feature, weight] : features) {
      entries.push_back({{"feature", feature_name(model, feature)}, {"weight", weight}});
    }
    return entries;
  };
  const auto samples = [&](const std::vector<TellingFeatures::Example>& examples) {
    nlohmann::json entries = nlohmann::json::array();
    for (const TellingFeatures::Example& example : examples) {
      entries.push_back({{"sample", example.name},
                         {"labels", joined_names(model.taxonomy(), example.labels)},
                         {"weight", example.weight}});
    }
    return entries;
  };
  nlohmann::json decisions = nlohmann::json::array();
  for (const TellingFeatures& one : found) {
    const bool has_examples = !one.examples.empty() || !one.counter_examples.empty();
    decisions.push_back({{"at", model.taxonomy().name(one.node)},
                         {"for", has_examples ? samples(one.examples) : list(one.in_favour)},
                         {"against", has_examples ? samples(one.counter_examples) : list(one.against)}});
  }
  nlohmann::json document{{"class", model.taxonomy().name(node)}, {"decisions", std::move(decisions)}};
  if (has_hashed_words(model)) document["note"] = kHashedNote;
  return json_text(document);
}

}  // namespace clade
