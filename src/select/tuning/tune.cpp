#include "select/tuning/tune.h"

#include <clade/error.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "core/random.h"
#include "core/text.h"
#include "select/tuning/reconstruction.h"
#include "select/tuning/stability.h"

namespace clade {
namespace {

constexpr std::size_t kMostSettings = 1000;

// Words between separators, the empty ones left out.
std::vector<std::string> words(std::string_view text, std::string_view separators) {
  std::vector<std::string> found;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find_first_of(separators, at), text.size());
    if (end > at) found.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return found;
}

Selector::Grid parse_grid(const std::string& text) {
  Selector::Grid grid;
  for (const std::string& part : words(text, " ;")) {
    const std::size_t equals = part.find('=');
    auto values = equals == std::string::npos ? std::vector<std::string>{} : words(part.substr(equals + 1), ",");
    if (equals == 0 || values.empty()) {
      throw usage_error(fmt::format("`grid`: '{}'", part), "expected NAME=VALUE,VALUE such as alpha=0.01,1");
    }
    grid.emplace_back(part.substr(0, equals), std::move(values));
  }
  return grid;
}

using Texts = std::vector<std::pair<std::string, std::string>>;

// All settings; the last parameter varies fastest.
std::vector<Texts> settings_of(const Selector::Grid& grid) {
  std::vector<Texts> settings{{}};
  for (const auto& [name, values] : grid) {
    std::vector<Texts> longer;
    for (const Texts& setting : settings) {
      for (const std::string& value : values) {
        longer.push_back(setting);
        longer.back().emplace_back(name, value);
      }
    }
    settings = std::move(longer);
  }
  return settings;
}

Index features_to_judge(const SelectOptions& options, Index features) {
  if (!options.top.empty()) return parse_top(options.top.text(), features);
  constexpr Index kFewest = 10;
  constexpr Index kMost = 200;
  return std::min(features, std::clamp(features / 10, kFewest, kMost));
}

// The best features that have a weight.
std::vector<FeatureIndex> weighted_features(const FeatureRanking& ranking) {
  const NodeRanking& node = ranking.nodes.front();
  const auto count = std::ranges::find(node.weight, 0.0) - node.weight.begin();
  if (count == 0) throw usage_error("no feature has a weight");
  return {node.ranking.begin(), node.ranking.begin() + count};
}

// One setting after the other, on data that are the same for all.
class Judge {
 public:
  Judge(const Dataset& data, const SelectOptions& options, const RankFeatures& rank, Context& ctx)
      : data_(data), options_(options), rank_(rank), ctx_(ctx) {
    options_.scale = Scale::kNone;
    options_.tune = SelectTune::kNone;
    options_.grid.clear();
    options_.top = features_to_judge(options, data.features());
    if (options.tune == SelectTune::kStability) {
      draw_subsamples();
    } else {
      reconstruction_.emplace(data, ctx);
    }
  }

  double value(const Texts& setting) {
    SelectOptions own = options_;
    for (const auto& [name, text] : setting) own.parameters[name] = text;
    const FeatureRanking whole = rank_(data_, own, ctx_);
    const std::vector<FeatureIndex> best = weighted_features(whole);
    if (reconstruction_) return reconstruction_->share(best, ctx_);
    fix_what_the_data_decided(whole, own);
    std::vector<std::vector<FeatureIndex>> sets;
    std::size_t failed = 0;
    for (const Dataset& part : subsamples_) {
      try {
        sets.push_back(weighted_features(rank_(part, own, ctx_)));
      } catch (const Error& error) {
        // A subsample can be too odd for a setting that suits the data; most of them must do.
        if (error.kind() != Error::Kind::kInput || 2 * ++failed > subsamples_.size()) throw;
      }
    }
    return stability(sets, data_.features());
  }

 private:
  void draw_subsamples() {
    constexpr std::uint64_t kSubsamples = 5;
    constexpr double kShare = 0.8;
    std::vector<Index> rows(static_cast<std::size_t>(data_.samples()));
    const auto kept = static_cast<std::size_t>(std::max(2.0, std::ceil(kShare * static_cast<double>(rows.size()))));
    for (std::uint64_t k = 0; k < kSubsamples; ++k) {
      std::iota(rows.begin(), rows.end(), Index{0});
      RandomStream(ctx_.seed(), {kTuneStream, k}).shuffle(std::span(rows));
      std::vector<Index> drawn(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(std::min(kept, rows.size())));
      std::ranges::sort(drawn);
      subsamples_.push_back(data_.subset(std::move(drawn)));
    }
  }

  // Subsamples get the number of clusters, for example, that all samples have.
  static void fix_what_the_data_decided(const FeatureRanking& whole, SelectOptions& own) {
    const auto selector = selector_table().make(own.method, own.parameters);
    const ParameterTable before = selector->parameters();
    for (const Parameter& p : before.parameters()) {
      const auto after = std::ranges::find(whole.parameters, p.name, &std::pair<std::string, std::string>::first);
      if (after != whole.parameters.end() && after->second != p.get()) own.parameters[p.name] = after->second;
    }
  }

  const Dataset& data_;
  SelectOptions options_;
  const RankFeatures& rank_;
  Context& ctx_;
  std::vector<Dataset> subsamples_;
  std::optional<Reconstruction> reconstruction_;
};

}  // namespace

Selector::Grid grid_of(const SelectOptions& options, const Selector& selector) {
  Selector::Grid grid = options.grid.empty() ? selector.default_grid() : parse_grid(options.grid);
  if (options.grid.empty()) {
    std::erase_if(grid, [&](const auto& entry) { return options.parameters.contains(entry.first); });
  }
  if (grid.empty()) {
    throw usage_error("`tune`: all parameters are given", "expected one to choose, or `grid` with values to try");
  }
  double count = 1;
  std::set<std::string> names;
  for (const auto& [name, values] : grid) {
    const std::set<std::string> distinct(values.begin(), values.end());
    if (!names.insert(name).second || distinct.size() != values.size()) {
      throw usage_error(fmt::format("`grid`: {} or a value of it stands there twice", name), "expected each once");
    }
    if (options.parameters.contains(name)) {
      throw usage_error(fmt::format("`{0}` is given and in `grid`", name), "expected one of them");
    }
    for (const std::string& value : values) selector_table().make(options.method, {{name, value}});
    count *= static_cast<double>(values.size());
  }
  if (count > static_cast<double>(kMostSettings)) {
    throw usage_error(fmt::format("`grid`: {:.0f} settings", count), fmt::format("expected at most {}", kMostSettings));
  }
  return grid;
}

SelectTuning tune_parameters(const Dataset& data, const SelectOptions& options, const RankFeatures& rank,
                             Context& ctx) {
  const std::unique_ptr<Selector> selector = selector_table().make(options.method, options.parameters);
  SelectTuning tuning;
  tuning.criterion = options.tune == SelectTune::kStability ? "stability" : "reconstruction";
  tuning.features = features_to_judge(options, data.features());
  Judge judge(data, options, rank, ctx);
  for (Texts& setting : settings_of(grid_of(options, *selector))) {
    ctx.check_cancelled();
    SelectTuning::Setting& tried = tuning.settings.emplace_back();
    tried.parameters = std::move(setting);
    try {
      tried.value = judge.value(tried.parameters);
    } catch (const Error& error) {
      if (error.kind() != Error::Kind::kInput) throw;
      tried.problem = error.problem();
    }
    const auto& best = tuning.settings[tuning.chosen].value;
    if (tried.value && (!best || *tried.value > *best)) tuning.chosen = tuning.settings.size() - 1;
  }
  if (tuning.settings[tuning.chosen].value) return tuning;
  throw usage_error(fmt::format("`tune`: no setting is of use: {}", tuning.settings.front().problem),
                    "expected other values in `grid`");
}

}  // namespace clade
