#include <clade/io.h>
#include <clade/synthetic.h>
#include <clade/taxonomy.h>
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "cli/command.h"

namespace clade::cli {
namespace {

class SynthCommand : public Command {
 public:
  std::string_view name() const override { return "synth"; }
  std::string_view help() const override {
    return "generate data over a perfect tree whose nearby classes are alike, or a random taxonomy";
  }

  void declare(Arguments& arguments) override {
    arguments.option("-o,--output", "FILE", output_, "file to write", true);
    arguments.option("--random-taxonomy-like", "TAXONOMY", like_,
                     "no data, but a tree with the nodes of this taxonomy at their levels, inner nodes and leaves as "
                     "they are, and random parents; every inner node has a child");
    arguments.parameters("Data", ParameterTable(options_));
    arguments.parameters("Writing", ParameterTable(write_));
    arguments.examples(
        "  clade synth -o synth.arff\n"
        "  clade synth -o synth.npz --depth 4 --fanout 5 --features 50 --samples 10000 --seed 7\n"
        "  clade synth --random-taxonomy-like tree.csv -o random.csv --seed 7\n");
  }

  void run(Context& ctx, const CommonOptions& common) override {
    if (!like_.empty()) return write_random_taxonomy(ctx, common);
    const Dataset data = synthetic_data(options_, ctx);
    const auto written = write_dataset(data, output_, write_, ctx);
    if (common.json) {
      return print_json({{"samples", data.samples()},
                         {"features", data.features()},
                         {"nodes", data.taxonomy().size()},
                         {"leaves", data.taxonomy().leaves().size()},
                         {"files", written}});
    }
    print(fmt::format("{} samples x {} features over {} classes -> {}\n", data.samples(), data.features(),
                      data.taxonomy().leaves().size(), fmt::join(written, ", ")));
  }

 private:
  void write_random_taxonomy(Context& ctx, const CommonOptions& common) {
    refuse_data_parameters();
    check_output(output_, write_.overwrite, {&like_, 1});
    const LoadedTaxonomy like = read_taxonomy(like_, {}, ctx);
    std::vector<std::string> notes = like.report.notes;
    if (!like.taxonomy.is_tree()) {
      notes.emplace_back(
          "a DAG: kept are the inner nodes and leaves at every level, by the longest way; the result is a tree");
    }
    const Taxonomy random = random_taxonomy_like(like.taxonomy, ctx.seed());
    for (const auto& note : notes) ctx.info(note);
    write_taxonomy(random, output_, write_, ctx);
    if (common.json) {
      return print_json({{"nodes", random.size()},
                         {"leaves", random.leaves().size()},
                         {"height", random.levels()},
                         {"files", {output_}},
                         {"notes", notes}});
    }
    print(fmt::format("{} nodes, {} of them leaves, at {} levels as in {}, with random parents -> {}\n", random.size(),
                      random.leaves().size(), random.levels(), like_, output_));
  }

  void refuse_data_parameters() {
    const ParameterTable table(options_);
    SyntheticOptions defaults;
    const ParameterTable untouched(defaults);
    for (std::size_t k = 0; k < table.parameters().size(); ++k) {
      if (table.parameters()[k].get() == untouched.parameters()[k].get()) continue;
      throw usage_error("--" + table.parameters()[k].name + " together with --random-taxonomy-like",
                        "expected one of them: a random taxonomy has no data");
    }
  }

  std::string output_;
  std::string like_;
  SyntheticOptions options_;
  WriteOptions write_;
};

}  // namespace

std::unique_ptr<Command> make_synth_command() {
  return std::make_unique<SynthCommand>();
}

}  // namespace clade::cli
