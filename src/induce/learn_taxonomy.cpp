#include <clade/error.h>
#include <clade/learn.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "core/memory_size.h"
#include "core/text.h"
#include "data/missing.h"
#include "induce/taxonomy_learner.h"

namespace clade {
namespace {

double memory_limit(const LearnTaxonomyOptions& options) {
  return options.memory.empty() ? default_memory_limit() : parse_bytes(options.memory);
}

bool is_zero(const Dataset& data, Index sample) {
  bool zero = true;
  data.for_each_value(sample, [&](FeatureIndex, auto v) { zero = zero && v == 0; });
  return zero;
}

std::string counted_samples(Index count) {
  return count == 1 ? "1 sample" : fmt::format("{} samples", count);
}

// What the learner ignores in the data, and what it cannot know.
std::vector<std::string> notes_on(const Dataset& data, const ClassSamples& classes, Scale scale, bool needs_samples) {
  std::vector<std::string> notes;
  const Taxonomy& taxonomy = data.taxonomy();
  if (taxonomy.levels() > 2) {
    notes.push_back(fmt::format("the data has a hierarchy of {} nodes already: only its {} classes are used",
                                taxonomy.size(), classes.size() + std::ssize(classes.without_samples)));
  }
  const auto inner = std::ranges::count_if(classes.classes, [&](NodeId node) { return !taxonomy.is_leaf(node); });
  if (inner > 0) {
    notes.push_back(inner == 1 ? "1 label at an inner node is a class like the others"
                               : fmt::format("{} labels at inner nodes are classes like the others", inner));
  }
  if (!needs_samples) return notes;
  if (classes.unlabelled > 0) {
    notes.push_back(fmt::format("{} without label not used", counted_samples(classes.unlabelled)));
  }
  if (!classes.without_samples.empty()) {
    constexpr std::size_t kShown = 5;
    notes.push_back("classes without samples, put below the root: " +
                    short_list(names_of(data, classes.without_samples), kShown));
  }
  if (scale == Scale::kUnit) {
    Index zeros = 0;
    for (Index s = 0; s < data.samples(); ++s) zeros += is_zero(data, s) ? 1 : 0;
    if (zeros > 0) notes.push_back(fmt::format("{} of zeros only: no length to scale", counted_samples(zeros)));
  }
  return notes;
}

constexpr Choice<Scale> kSampleScaleWords[] = {{Scale::kNone, "none"}, {Scale::kUnit, "unit"}};

}  // namespace

ClassSamples class_samples(const Dataset& data) {
  const Taxonomy& taxonomy = data.taxonomy();
  ClassSamples result;
  std::vector<Index> count(static_cast<std::size_t>(taxonomy.size()), 0);
  for (Index s = 0; s < data.samples(); ++s) {
    result.unlabelled += data.labels(s).empty() ? 1 : 0;
    for (const NodeId label : data.labels(s)) ++count[static_cast<std::size_t>(label)];
  }
  std::vector<Index> place(count.size(), 0);  // where the next sample of a node goes
  result.offsets.push_back(0);
  for (NodeId node = 0; node < taxonomy.size(); ++node) {
    const auto at = static_cast<std::size_t>(node);
    if (count[at] > 0) {
      place[at] = result.offsets.back();
      result.classes.push_back(node);
      result.offsets.push_back(result.offsets.back() + count[at]);
    } else if (taxonomy.is_leaf(node) && node != taxonomy.root()) {
      result.without_samples.push_back(node);
    }
  }
  result.samples.resize(static_cast<std::size_t>(result.offsets.back()));
  for (Index s = 0; s < data.samples(); ++s) {
    for (const NodeId label : data.labels(s)) {
      result.samples[static_cast<std::size_t>(place[static_cast<std::size_t>(label)]++)] = s;
    }
  }
  return result;
}

std::vector<std::string> names_of(const Dataset& data, std::span<const NodeId> nodes) {
  std::vector<std::string> names;
  for (const NodeId node : nodes) names.push_back(data.taxonomy().name(node));
  return names;
}

void describe(ParameterTable& v, LearnTaxonomyOptions& o) {
  v("scale", o.scale, kSampleScaleWords, "unit: scale every sample to length 1 first");
}

void check_request(const LearnTaxonomyOptions& options) {
  taxonomy_learner_table().make(options.method, options.parameters);
  memory_limit(options);
}

LearnedTaxonomy learn_taxonomy(const Dataset& data, const LearnTaxonomyOptions& options, Context& ctx) {
  const auto start = std::chrono::steady_clock::now();
  const std::unique_ptr<TaxonomyLearner> learner = taxonomy_learner_table().make(options.method, options.parameters);
  const double limit = memory_limit(options);
  const ClassSamples classes = class_samples(data);
  if (classes.size() == 0) throw usage_error("the data has no labelled sample", "expected labels to learn from");
  if (learner->needs_samples()) require_finite(data, 0, data.samples());
  std::vector<std::string> notes = notes_on(data, classes, options.scale, learner->needs_samples());
  const LearnInput input{data, classes, options.scale == Scale::kUnit, limit};
  LearnedTaxonomy learned = learner->learn(input, ctx);
  learned.method = options.method;
  const ParameterTable parameters = learner->parameters();
  for (const Parameter& p : parameters.parameters()) learned.parameters.emplace_back(p.name, p.get());
  learned.parameters.emplace_back("scale", options.scale == Scale::kUnit ? "unit" : "none");
  learned.notes.insert(learned.notes.begin(), notes.begin(), notes.end());
  learned.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return learned;
}

}  // namespace clade
