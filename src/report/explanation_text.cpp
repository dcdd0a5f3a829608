#include "report/explanation_text.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "report/json_text.h"

namespace clade {

Explanation explanation_of(const Model& model, const Dataset& data, Index sample, NodeId label, double score,
                           const std::vector<Step>& steps) {
  const Taxonomy& taxonomy = model.taxonomy();
  Explanation result{.sample = data.sample_name(sample), .label = taxonomy.name(label), .score = score, .steps = {}};
  for (const Step& step : steps) {
    Explanation::NamedStep named{.node = taxonomy.name(step.node),
                                 .child = taxonomy.name(taxonomy.fold(step.child)),
                                 .rival = {},
                                 .probability = step.probability,
                                 .margin = step.margin,
                                 .reasons = {}};
    if (step.rival != kNoNode) named.rival = taxonomy.name(step.rival);
    for (const Step::Reason& reason : step.reasons) {
      named.reasons.push_back({data.feature_name(reason.feature), reason.value, reason.contribution});
    }
    result.steps.push_back(std::move(named));
  }
  return result;
}

std::string explanation_text(const Explanation& explanation) {
  std::string text = fmt::format("sample {}: {} ({:.3g})\n", explanation.sample, explanation.label, explanation.score);
  for (const Explanation::NamedStep& step : explanation.steps) {
    text += fmt::format("  {} -> {}", step.node, step.child);
    if (!step.rival) {
      text += ": the only child with samples\n";
      continue;
    }
    text += fmt::format("  p {:.2f}, {} {} by {:.3g}\n", step.probability, step.margin < 0 ? "behind" : "ahead of",
                        *step.rival, std::abs(step.margin));
    for (const Explanation::Reason& reason : step.reasons) {
      text += fmt::format("      {:+.3f}  {} = {:.3g}\n", reason.contribution, reason.feature, reason.value);
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
      steps.push_back({{"node", step.node},
                       {"child", step.child},
                       {"probability", step.probability},
                       {"rival", step.rival ? json(*step.rival) : json(nullptr)},
                       {"margin", step.rival ? json(step.margin) : json(nullptr)},
                       {"reasons", std::move(reasons)}});
    }
    list.push_back({{"sample", explanation.sample},
                    {"label", explanation.label},
                    {"score", explanation.score},
                    {"steps", std::move(steps)}});
  }
  return json_text({{"samples", samples}, {"explanations", std::move(list)}});
}

}  // namespace clade
