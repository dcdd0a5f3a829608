#include <clade/io.h>
#include <clade/synthetic.h>
#include <clade/taxonomy.h>
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <array>

#include "cli/command.h"
#include "report/json_text.h"

namespace clade::cli {
namespace {

class SynthCommand : public Command {
 public:
  std::string_view name() const override { return "synth"; }
  std::string_view help() const override {
    return "generate data whose nearby classes are alike, text over a hierarchy, or a random taxonomy";
  }

  void declare(Arguments& arguments) override {
    arguments.output("-o,--output", "FILE", output_, "file to write", true);
    arguments.option("--random-taxonomy-like", "TAXONOMY", like_,
                     "write a random tree instead of data: the nodes, levels and leaves of this taxonomy, but random "
                     "parents; every inner node has a child");
    arguments.flag("--text", text_mode_, "text over a hierarchy: JSON lines, or counts of words in any other format");
    arguments.output("--taxonomy-out", "FILE", write_.taxonomy_path, "write the taxonomy of the data here as well");
    arguments.parameters("Data", ParameterTable(options_));
    arguments.parameters("Text", ParameterTable(text_));
    arguments.parameters("Writing", ParameterTable(write_));
    arguments.often("--output --depth --fanout --features --samples --single-label --text --taxonomy-out --force");
    arguments.examples(
        "  clade synth -o synth.arff\n"
        "  clade synth -o synth.npz --depth 4 --fanout 3 --features 50 --samples 2000 --seed 7\n"
        "  clade synth -o many.svm --depth 4 --fanout 10 --samples 5000 --single-label\n"
        "  clade synth --text -o train.jsonl --taxonomy-out tree.csv\n"
        "  clade synth --text -o test.jsonl --first 20000 --documents 5000 --noise 0\n"
        "  clade synth --text -o dag.jsonl.gz --taxonomy-out dag.csv --dag 0.1 --labels 3 --levels 20,300,4000\n"
        "  clade synth --random-taxonomy-like tree.csv -o random.csv --seed 7\n");
  }

  void run(Context& ctx, const CommonOptions& common) override {
    if (!like_.empty()) return write_random_taxonomy(ctx, common);
    if (text_mode_) return write_text(ctx, common);
    refuse(text_, "without --text", "expected --text, which it belongs to");
    const Dataset data = synthetic_data(options_, ctx);
    const auto written = write_dataset(data, output_, write_, ctx);
    show(common, data.samples(), {"samples", "features"}, data.features(), data.taxonomy(), written);
  }

 private:
  void write_random_taxonomy(Context& ctx, const CommonOptions& common) {
    constexpr std::string_view kWith = "together with --random-taxonomy-like";
    constexpr std::string_view kExpected = "expected one of them: a random taxonomy has no data";
    refuse(options_, kWith, kExpected);
    refuse(text_, kWith, kExpected);
    if (text_mode_ || !write_.taxonomy_path.empty()) {
      throw usage_error(fmt::format("--{} {}", text_mode_ ? "text" : "taxonomy-out", kWith), kExpected);
    }
    check_output(output_, write_.overwrite, {&like_, 1});
    const LoadedTaxonomy like = read_taxonomy(like_, {}, ctx);
    std::vector<std::string> notes = like.report.notes;
    if (!like.taxonomy.is_tree()) {
      notes.emplace_back(
          "a DAG: kept are the inner nodes and leaves at every level, by the longest path; the result is a tree");
    }
    const Taxonomy random = random_taxonomy_like(like.taxonomy, ctx.seed());
    for (const auto& note : notes) ctx.info(note);
    write_taxonomy(random, output_, write_, ctx);
    if (common.json) {
      return print_json(json_object({{"nodes", random.size()},
                                     {"leaves", std::ssize(random.leaves())},
                                     {"height", random.levels()},
                                     {"files", std::vector<std::string>{output_}},
                                     {"notes", notes}}));
    }
    print(fmt::format("{} nodes, {} of them leaves, at {} levels as in {}, with random parents -> {}\n", random.size(),
                      random.leaves().size(), random.levels(), like_, output_));
  }

  void write_text(Context& ctx, const CommonOptions& common) {
    refuse(options_, "together with --text", "expected the parameters of text, see --help");
    const std::string outputs[] = {output_};
    check_output(output_, write_.overwrite, {});  // before long work
    if (!write_.taxonomy_path.empty()) check_taxonomy_output(write_.taxonomy_path, write_.overwrite, outputs);
    const SyntheticText text = synthetic_text(text_, ctx);
    const auto written = write_synthetic_text(text, output_, write_, ctx);
    show(common, text.documents(), {"documents", "words"}, std::ssize(text.vocabulary), text.taxonomy, written);
  }

  // Reports what was written: `count` of units[0], each over `width` of units[1].
  static void show(const CommonOptions& common, Index count, std::array<std::string_view, 2> units, Index width,
                   const Taxonomy& taxonomy, const std::vector<std::string>& written) {
    if (common.json) {
      return print_json(json_object({{"samples", count},
                                     {"features", width},
                                     {"nodes", taxonomy.size()},
                                     {"leaves", std::ssize(taxonomy.leaves())},
                                     {"files", written}}));
    }
    if (written.front().starts_with("/dev/")) return;  // data on standard output must not be followed by a message
    print(fmt::format("{} {} x {} {} over {} classes -> {}\n", count, units[0], width, units[1],
                      taxonomy.leaves().size(), fmt::join(written, ", ")));
  }

  // Throws if a parameter was set that has no effect here.
  template <class Options>
  static void refuse(Options& options, std::string_view situation, std::string_view expected) {
    const ParameterTable table(options);
    Options defaults;
    const ParameterTable untouched(defaults);
    for (std::size_t k = 0; k < table.parameters().size(); ++k) {
      if (table.parameters()[k].get() == untouched.parameters()[k].get()) continue;
      throw usage_error(fmt::format("--{} {}", table.parameters()[k].name, situation), expected);
    }
  }

  std::string output_;
  std::string like_;
  bool text_mode_ = false;
  SyntheticOptions options_;
  SyntheticTextOptions text_;
  WriteOptions write_;
};

}  // namespace

std::unique_ptr<Command> make_synth_command() {
  return std::make_unique<SynthCommand>();
}

}  // namespace clade::cli
