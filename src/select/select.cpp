#include <clade/select.h>
#include <clade/text.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>

#include "comm/team.h"
#include "core/memory_size.h"
#include "core/parallel.h"
#include "core/text.h"
#include "data/missing.h"
#include "data/scaling.h"
#include "select/selector.h"
#include "select/tuning/tune.h"

namespace clade {
namespace {

std::vector<NodeId> nodes_asked_for(const Taxonomy& taxonomy, const std::vector<std::string>& names) {
  if (names.empty()) return {taxonomy.internal_nodes().begin(), taxonomy.internal_nodes().end()};
  std::vector<NodeId> nodes;
  for (const std::string& name : names) {
    const auto node = taxonomy.find(name);
    if (!node) throw usage_error(fmt::format("`nodes`: no node '{}'", name), "expected nodes of the taxonomy");
    if (taxonomy.is_leaf(*node)) {
      throw usage_error(fmt::format("`nodes`: '{}' is a leaf", name), "expected nodes that have children");
    }
    nodes.push_back(*node);
  }
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return nodes;
}

// Notes on parameters that the user gave to no effect.
std::vector<std::string> idle_notes(const Selector& selector, const SelectOptions& options) {
  std::vector<std::string> notes;
  for (const auto& [name, when] : selector.idle_parameters()) {
    if (options.parameters.contains(std::string(name))) {
      notes.push_back(fmt::format("`{}` has no effect {}", name, when));
    }
  }
  return notes;
}

void note_odd_nodes(const Taxonomy& taxonomy, FeatureRanking& ranking) {
  std::vector<std::string> empty;
  std::vector<std::string> single;
  for (const NodeRanking& node : ranking.nodes) {
    if (node.node == kNoNode || node.children > 1) continue;
    (node.samples == 0 ? empty : single).push_back(taxonomy.name(node.node));
  }
  const auto say = [&](const std::vector<std::string>& names, std::string_view what) {
    if (names.empty()) return;
    constexpr std::size_t kShown = 5;
    ranking.notes.push_back(fmt::format("{}: {}", what, short_list(names, kShown)));
  };
  say(empty, "nodes without samples, ranked in feature order");
  say(single, "nodes with samples below one child only, where nothing is to be told apart");
}

void require_labels(const Dataset& data) {
  for (Index s = 0; s < data.samples(); ++s) {
    if (!data.labels(s).empty()) return;
  }
  throw usage_error("the data has no labelled sample", "expected labels to select features by");
}

void refuse_nodes(const SelectOptions& options) {
  if (options.nodes.empty()) return;
  throw usage_error("`nodes`: " + options.method + " ranks features for the whole data set", "expected no `nodes`");
}

void require_finite_weights(const Taxonomy& taxonomy, const FeatureRanking& ranking) {
  for (const NodeRanking& node : ranking.nodes) {
    if (std::all_of(node.weight.begin(), node.weight.end(), [](double w) { return std::isfinite(w); })) continue;
    throw usage_error(fmt::format("the weights of the node '{}' are not finite: values are too large to compute with",
                                  node.node == kNoNode ? "*" : taxonomy.name(node.node)),
                      "expected scaled features: `scale` standard");
  }
}

bool has_weight(const NodeRanking& node) {
  return std::ranges::any_of(node.weight, [](double w) { return w != 0; });
}

// Where every weight is 0 the order of the features may say nothing about them.
void refuse_zero_weights(const Taxonomy& taxonomy, const Selector& selector, bool is_allowed, FeatureRanking& ranking) {
  std::vector<std::string> empty;
  bool any_weight = false;
  for (const NodeRanking& node : ranking.nodes) {
    if (node.node != kNoNode && node.children < 2) continue;  // note_odd_nodes() names these
    if (has_weight(node)) {
      any_weight = true;
    } else {
      empty.push_back(node.node == kNoNode ? "*" : taxonomy.name(node.node));
    }
  }
  if (empty.empty()) return;
  std::string smaller;
  for (const std::string_view name : selector.penalties()) {
    smaller += fmt::format("{}`{}`", smaller.empty() ? "a smaller " : " or ", name);
  }
  if (!any_weight && !is_allowed) {
    throw usage_error("every weight is 0: no feature is selected",
                      fmt::format("expected {}, or `allow-zero-weights`",
                                  smaller.empty() ? "features that tell samples apart" : smaller));
  }
  constexpr std::size_t kShown = 5;
  ranking.notes.push_back(fmt::format("nodes where every weight is 0{}: {}",
                                      smaller.empty() ? "" : " (" + smaller + " may help)", short_list(empty, kShown)));
}

double memory_limit(const SelectOptions& options) {
  return options.memory.empty() ? default_memory_limit() : parse_bytes(options.memory);
}

void drop_feature(FeatureIndex feature, FeatureRanking& ranking) {
  for (NodeRanking& node : ranking.nodes) {
    const auto place = std::find(node.ranking.begin(), node.ranking.end(), feature) - node.ranking.begin();
    if (place == std::ssize(node.ranking)) continue;
    node.ranking.erase(node.ranking.begin() + place);
    node.weight.erase(node.weight.begin() + place);
    std::erase(node.common, feature);
  }
}

// Stands for the number of features where it is not known yet.
constexpr Index kManyFeatures = Index{1} << 40U;

}  // namespace

Index parse_top(std::string_view text, Index features) {
  const bool is_share = text.ends_with('%');
  const std::string_view digits = is_share ? text.substr(0, text.size() - 1) : text;
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  const bool is_number = error == std::errc{} && end == digits.data() + digits.size() && std::isfinite(value);
  if (!is_number || value <= 0 || (is_share && value > 100) || (!is_share && value != std::floor(value))) {
    throw usage_error(fmt::format("`top`: '{}'", text),
                      "expected a number of features such as 40, or a share such as 10%");
  }
  if (is_share) return std::max<Index>(1, std::lround(value / 100 * static_cast<double>(features)));
  if (value > static_cast<double>(features)) {
    throw usage_error(fmt::format("`top`: {} features of {}", text, features),
                      "expected no more features than the data has");
  }
  return static_cast<Index>(value);
}

void describe(ParameterTable& v, SelectOptions& o) {
  v("scale", o.scale, kScaleWords,
    "scale features (standard, minmax) or samples (unit) first; auto: by the data for selectors without labels, else "
    "none");
  v("bias", o.bias, "add a feature that is always 1; it is not ranked");
  v("allow-zero-weights", o.allow_zero_weights, "accept a ranking whose weights are all 0");
  v("tune", o.tune, kTuneWords,
    "choose the parameters of a selector without labels: features that subsamples agree on (stability), or that tell "
    "the values of the others (reconstruction); auto: the better one, as measured");
  v("grid", o.grid, "values for `tune` to try, such as 'alpha=0.01,1 beta=1,100' (default: the method's own)");
}

void check_request(const SelectOptions& options) {
  const std::unique_ptr<Selector> selector = selector_table().make(options.method, options.parameters);
  selector->check();
  if (!selector->ranks_per_node()) refuse_nodes(options);
  if (options.bias && !selector->needs_labels()) {
    throw usage_error("`bias`: " + options.method + " fits no labels", "expected no `bias`");
  }
  if (options.tune == SelectTune::kNone && !options.grid.empty()) {
    throw usage_error("`grid` has no effect", "expected `tune` with it");
  }
  if (options.tune != SelectTune::kNone) {
    if (selector->needs_labels()) {
      throw usage_error("`tune`: " + options.method + " ranks features by labels",
                        "expected a selector without labels");
    }
    grid_of(options, *selector);
  }
  if (!options.top.empty()) parse_top(options.top.text(), kManyFeatures);
  memory_limit(options);
}

namespace {

void require_usable(const Dataset& data, const Selector& selector, Context& ctx) {
  if (data.features() == 0 || data.samples() == 0) {
    throw usage_error("the data has no features or no samples", "expected some of both to select from");
  }
  if (holds_sequences(data)) {
    throw usage_error("the data are sequences, whose features are positions",
                      "expected vectors, or text read as words");
  }
  if (selector.needs_labels()) require_labels(data);
  if (data.row_parts() && !selector.takes_row_parts()) {
    throw usage_error("with these parameters, every process needs the values of all samples",
                      "expected data that each of them reads as a whole; or fisher, hier-fisher, mrmr, hier-mrmr; or "
                      "hier-fs, hirr-par, hirr-sib, hirr-fam, hfsgr or fs-base with `solver` irls and squared errors");
  }
  constexpr Index kSamplesPerTask = 64;
  parallel_for(ctx, data.samples(), kSamplesPerTask, [&](Index begin, Index end) { require_finite(data, begin, end); });
}

// Ranks the features of usable data, with the parameters and the scale that the options have.
FeatureRanking rank(const Dataset& data, const SelectOptions& options, Context& ctx) {
  const std::unique_ptr<Selector> selector = selector_table().make(options.method, options.parameters);
  const std::vector<std::string> idle = idle_notes(*selector, options);
  const bool by_labels = selector->needs_labels();
  const Index top = options.top.empty() ? 0 : parse_top(options.top.text(), data.features());
  const Dataset leaves = scaled(by_labels ? with_leaf_labels(data) : data, options.scale, options.bias);
  const std::vector<NodeTable> tables = by_labels ? node_tables(leaves) : std::vector<NodeTable>{};
  const SelectionInput input{leaves, tables, nodes_asked_for(leaves.taxonomy(), options.nodes),
                             top > 0 && options.bias ? top + 1 : top, memory_limit(options)};
  FeatureRanking found = selector->select(input, ctx);
  require_finite_weights(leaves.taxonomy(), found);
  refuse_zero_weights(leaves.taxonomy(), *selector, options.allow_zero_weights, found);
  found.method = options.method;
  found.notes.insert(found.notes.begin(), idle.begin(), idle.end());
  // Read after the run, because a selector may have chosen some itself.
  const ParameterTable parameters = selector->parameters();
  for (const Parameter& p : parameters.parameters()) found.parameters.emplace_back(p.name, p.get());
  if (options.bias) drop_feature(static_cast<FeatureIndex>(data.features()), found);
  for (NodeRanking& node : found.nodes) {
    if (top == 0) break;
    node.ranking.resize(std::min(node.ranking.size(), static_cast<std::size_t>(top)));
    node.weight.resize(node.ranking.size());
    node.common.resize(std::min(node.common.size(), node.ranking.size()));
  }
  note_odd_nodes(leaves.taxonomy(), found);
  return found;
}

std::string_view word_of(Scale scale) {
  return std::ranges::find(kScaleWords, scale, &Choice<Scale>::value)->word;
}

}  // namespace

FeatureRanking select(const Dataset& given, const SelectOptions& options, Context& ctx) {
  // One process that has read all parts works as with any other data, unless others may go on with its work.
  const bool has_all = given.row_parts() && given.row_parts()->first.size() == 2 && team_of(ctx) == nullptr;
  const Dataset data = has_all ? given.with_row_parts(nullptr) : given;
  const auto start = std::chrono::steady_clock::now();
  check_request(options);
  const std::unique_ptr<Selector> selector = selector_table().make(options.method, options.parameters);
  require_usable(data, *selector, ctx);
  if (data.row_parts() && (options.scale != Scale::kAuto && options.scale != Scale::kNone)) {
    throw usage_error("`scale`: no process has the values of all samples", "expected `scale` none");
  }
  if (data.row_parts() && options.bias) {
    throw usage_error("`bias`: no process has the values of all samples", "expected no `bias`");
  }
  SelectOptions chosen = options;
  const bool by_labels = selector->needs_labels();
  if (options.scale == Scale::kAuto) chosen.scale = by_labels ? Scale::kNone : comparable_scale(data);
  std::optional<SelectTuning> tuning;
  if (options.tune != SelectTune::kNone) {
    tuning = tune_parameters(scaled(data, chosen.scale, false), options, rank, ctx);
    for (const auto& [name, value] : tuning->settings[tuning->chosen].parameters) chosen.parameters[name] = value;
  }
  FeatureRanking found = rank(data, chosen, ctx);
  if (!by_labels) found.parameters.emplace_back("scale", word_of(chosen.scale));
  found.tuning = std::move(tuning);
  found.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return found;
}

}  // namespace clade
