#include <clade/cluster.h>
#include <clade/io.h>
#include <clade/select.h>
#include <clade/text.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <optional>

#include "cli/comma_list.h"
#include "cli/command.h"
#include "cli/read_arguments.h"
#include "cli/team_arguments.h"
#include "report/cluster_report.h"
#include "report/text_table.h"

namespace clade::cli {
namespace {

// More features than any data have, for what is checked before the data are read.
constexpr Index kAnyNumber = Index{1} << 40U;

// parse_top() with --sweep as the name in its message.
Index parse_count(const std::string& text, Index features) {
  try {
    return parse_top(text, features);
  } catch (const Error& error) {
    throw usage_error(fmt::format("--sweep: '{}'", text), error.expected());
  }
}

// "50,100,200", or "50,100,...,300" with equal steps.
// Without `features`, only what is written there is checked.
std::vector<Index> parse_sweep(const std::string& text, std::optional<Index> features) {
  const Index most = features.value_or(kAnyNumber);
  const std::vector<std::string> parts = comma_list(text);
  std::vector<Index> counts;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    if (parts[k] != "...") {
      counts.push_back(parse_count(parts[k], most));
      continue;
    }
    const Index step = counts.size() < 2 ? 0 : counts.back() - counts[counts.size() - 2];
    if (step <= 0 || k + 1 == parts.size()) {
      throw usage_error(fmt::format("--sweep: '{}'", text), "expected two ascending numbers before ... and one after");
    }
    const Index last = parse_count(parts[k + 1], most);
    for (Index count = counts.back() + step; features && count < last; count += step) counts.push_back(count);
  }
  return counts;
}

class ClusterCommand : public Command {
 public:
  std::string_view name() const override { return "cluster"; }
  std::string_view help() const override {
    return "cluster the samples by selected features, and measure the clusters";
  }

  bool is_shared() const override { return by_rows_; }

  void declare(Arguments& arguments) override {
    arguments.positional("DATA", path_, "data set whose samples to cluster");
    arguments.option("--features", "FILE", ranking_, "features to use: a ranking from clade select (default: all)");
    arguments.option("--top", "COUNT", top_, "features of the ranking to use: a number, or a share such as 10%");
    arguments.option("--sweep", "COUNTS", sweep_,
                     "several numbers of features, one after the other, such as 50,100,...,300");
    arguments.option("--node", "NODE", node_, "the node of a ranking that has several (default: the root)");
    arguments.output("-o,--output", "FILE", output_, "file for the clusters of the best start (CSV)");
    arguments.flag("--by-rows", by_rows_,
                   "every process reads its share of the rows of DATA, a file or a folder of parts, so that none needs "
                   "memory for all of it");
    arguments.flag("--force", force_, "overwrite the output if it exists");
    arguments.parameters("Clustering", ParameterTable(options_));
    arguments.often("--output --features --top --sweep --clusters --repeats --force");
    read_.declare(arguments);
    arguments.examples(
        "  clade cluster documents.npz --features ranking.json --top 100\n"
        "  clade cluster faces.mat --features ranking.json --sweep 50,100,...,300 --json\n"
        "  clade cluster genes.csv --clusters 8 --scale standard -o clusters.csv\n"
        "  mpirun -np 16 clade cluster parts/ --by-rows --clusters 100 -o clusters.csv\n"
        "  clade evaluate --clusters clusters.csv genes.csv\n");
  }

  void run(Context& ctx, const CommonOptions& common) override {
    refuse_idle_options();
    if (!output_.empty() && leads(ctx)) check_output(output_, force_, read_.inputs({path_, ranking_}));
    const LoadedData loaded = timed(ctx, "reading", [&] { return read(common, ctx); });
    for (const auto& note : loaded.report.notes) {
      // What is said of some of the files depends on the number of processes.
      by_rows_ ? ctx.info(note) : note_down(note, ctx);
    }
    const Dataset& data = loaded.data;
    require_vectors(data);
    const std::vector<Index> classes = classes_of(data, ctx);
    const std::vector<FeatureIndex> ranked = ranked_features(data, ctx);
    std::vector<ClusterRun> runs;
    for (const Index count : counts_for(data, std::ssize(ranked))) {
      runs.push_back(cluster_samples(data, {ranked.begin(), ranked.begin() + count}, classes, options_, ctx));
      for (const std::string& note : cluster_notes(runs.back(), options_)) note_down(note, ctx);
    }
    if (!output_.empty()) write_clusters(runs.front(), data, output_, force_, ctx);
    if (leads(ctx)) show(runs, data, common);
  }

 private:
  LoadedData read(const CommonOptions& common, Context& ctx) {
    if (!by_rows_) return read_dataset(path_, read_.options, ctx);
    const std::vector<std::string> parts = data_files(path_, read_.options);
    LoadedData loaded = read_by_rows(parts, read_.options, ctx);
    team_.begin_by_rows(loaded.data, parts, {ranking_}, common, ctx);
    return loaded;
  }

  void show(const std::vector<ClusterRun>& runs, const Dataset& data, const CommonOptions& common) const {
    if (common.json) {
      return print_json(cluster_json({.runs = runs,
                                      .options = options_,
                                      .samples = data.samples(),
                                      .is_sweep = !sweep_.empty(),
                                      .notes = notes_,
                                      .file = output_}));
    }
    print(fmt::format("{}: {} in {}, {}\n\n{}", path_, counted(static_cast<std::size_t>(data.samples()), "sample"),
                      counted(static_cast<std::size_t>(options_.clusters), "cluster"),
                      counted(static_cast<std::size_t>(options_.repeats), "start"), cluster_text(runs)));
    if (!output_.empty()) print(fmt::format("\nclusters -> {}\n", output_));
  }

  void note_down(const std::string& note, Context& ctx) {
    notes_.push_back(with_flags(note));
    ctx.info(note);
  }

  // Refuses options that would have no effect: they are a misunderstanding.
  void refuse_idle_options() const {
    if (ranking_.empty() && (!top_.empty() || !sweep_.empty() || !node_.empty())) {
      throw usage_error("--top, --sweep and --node have no effect", "expected --features RANKING with them");
    }
    if (!top_.empty() && !sweep_.empty()) {
      throw usage_error("--top and --sweep both say how many features", "expected one of them");
    }
    if (!top_.empty()) parse_top(top_, kAnyNumber);
    if (!sweep_.empty()) parse_sweep(sweep_, std::nullopt);
    if (!sweep_.empty() && !output_.empty()) {
      throw usage_error("--sweep makes clusters for each number of features", "expected --top with -o");
    }
  }

  void require_vectors(const Dataset& data) const {
    if (data.samples() == 0 || data.features() == 0) {
      throw input_error({.file = path_}, "no samples or no features", "expected some of both to cluster");
    }
    if (holds_sequences(data)) {
      throw usage_error("the data are sequences, whose features are positions",
                        "expected vectors, or text read as words");
    }
  }

  // Empty if the classes cannot be compared with clusters. Sets the number of clusters if it was not given.
  std::vector<Index> classes_of(const Dataset& data, Context& ctx) {
    std::optional<std::vector<Index>> classes = single_classes(data);
    if (options_.clusters == 0) {
      if (!classes) {
        throw usage_error("the data do not have one label per sample, so there is no number of classes",
                          "expected --clusters K");
      }
      options_.clusters = 1 + *std::ranges::max_element(*classes);
    }
    if (classes) return std::move(*classes);
    note_down("not every sample has one label: accuracy and NMI are not measured", ctx);
    return {};
  }

  // Best first; all features if there is no ranking.
  std::vector<FeatureIndex> ranked_features(const Dataset& data, Context& ctx) {
    if (ranking_.empty()) {
      std::vector<FeatureIndex> all(static_cast<std::size_t>(data.features()));
      std::iota(all.begin(), all.end(), FeatureIndex{0});
      return all;
    }
    const Dataset leaves = with_leaf_labels(data);
    const FeatureRanking ranking = read_ranking(ranking_, leaves, ctx);
    NodeId wanted = leaves.taxonomy().root();
    if (!node_.empty()) {
      const auto known = leaves.taxonomy().find(node_);
      if (!known) throw usage_error(fmt::format("--node: no node '{}'", node_), "expected one of the taxonomy");
      wanted = *known;
    } else if (ranking.nodes.size() == 1) {
      wanted = ranking.nodes.front().node;
    } else {
      note_down(fmt::format("the ranking has {} nodes: that of the root is used", ranking.nodes.size()), ctx);
    }
    const auto found = std::ranges::find(ranking.nodes, wanted, &NodeRanking::node);
    if (found == ranking.nodes.end() || found->ranking.empty()) {
      throw input_error({.file = ranking_}, fmt::format("no features of the node '{}'", leaves.taxonomy().name(wanted)),
                        "expected a node that the ranking has, by --node");
    }
    return found->ranking;
  }

  std::vector<Index> counts_for(const Dataset& data, Index ranked) const {
    std::vector<Index> counts{ranked};
    if (!top_.empty()) counts = {parse_top(top_, data.features())};
    if (!sweep_.empty()) counts = parse_sweep(sweep_, data.features());
    for (const Index count : counts) {
      if (count > ranked) {
        throw input_error({.file = ranking_}, fmt::format("{} features asked for of {} ranked", count, ranked),
                          "expected fewer, or a ranking with more");
      }
    }
    return counts;
  }

  std::string path_;
  std::string ranking_;
  std::string top_;
  std::string sweep_;
  std::string node_;
  std::string output_;
  bool by_rows_ = false;
  bool force_ = false;
  ClusterOptions options_;
  TeamArguments team_;
  ReadArguments read_;
  std::vector<std::string> notes_;
};

}  // namespace

std::unique_ptr<Command> make_cluster_command() {
  return std::make_unique<ClusterCommand>();
}

}  // namespace clade::cli
