#include "report/explanation_text.h"

#include <fmt/format.h>

#include <cmath>

namespace clade {

std::string explanation_text(const Model& model, const Dataset& data, Index sample, NodeId label, double score,
                             const std::vector<Step>& steps) {
  const Taxonomy& taxonomy = model.taxonomy();
  std::string text = fmt::format("sample {}: {} ({:.3g})\n", data.sample_name(sample), taxonomy.name(label), score);
  for (const Step& step : steps) {
    text += fmt::format("  {} -> {}", taxonomy.name(step.node), taxonomy.name(taxonomy.fold(step.child)));
    if (step.rival == kNoNode) {
      text += ": the only child with samples\n";
      continue;
    }
    text += fmt::format("  p {:.2f}, {} {} by {:.3g}\n", step.probability, step.margin < 0 ? "behind" : "ahead of",
                        taxonomy.name(step.rival), std::abs(step.margin));
    for (const Step::Reason& reason : step.reasons) {
      text += fmt::format("      {:+.3f}  {} = {:.3g}\n", reason.contribution, data.feature_name(reason.feature),
                          reason.value);
    }
  }
  return text + "\n";
}

}  // namespace clade
