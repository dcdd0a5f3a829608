#include <clade/io.h>
#include <clade/learn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>

#include "cli/command.h"
#include "cli/read_arguments.h"
#include "report/dendrogram_picture.h"
#include "report/learned_taxonomy_report.h"

namespace clade::cli {
namespace {

class LearnTaxonomyCommand : public Command {
 public:
  std::string_view name() const override { return "learn-taxonomy"; }
  std::string_view help() const override { return "learn a class hierarchy from data that has none"; }

  void declare(Arguments& arguments) override {
    arguments.positional("DATA", path_, "data set whose classes to arrange", false);
    arguments.option("--method", "METHOD", options_.method, "the method (default: agglomerative); --list shows all");
    arguments.output("-o,--output", "FILE", output_, "file for the taxonomy, such as taxonomy.csv");
    arguments.output("--dendrogram", "FILE", dendrogram_, "write how the classes were joined (JSON)");
    arguments.output("--picture", "FILE", picture_, "draw how the classes were joined (SVG)");
    arguments.option("--memory", "SIZE", options_.memory,
                     "memory for the work, beside the data, such as 4G (default: most of it)");
    arguments.flag("--list", list_, "show the methods with their parameters");
    arguments.flag("--force", force_, "overwrite outputs that exist");
    arguments.parameters("Before learning", ParameterTable(options_));
    arguments.parameters("Parameters of the methods", {"--method", "taxonomy learner", taxonomy_learners()},
                         options_.parameters);
    arguments.often("--output --method --dendrogram --picture --list --force");
    read_.declare(arguments);
    arguments.examples(
        "  clade learn-taxonomy train.svm -o taxonomy.csv\n"
        "  clade learn-taxonomy train.svm --scale unit -o taxonomy.csv --dendrogram tree.json --picture "
        "dendrogram.svg\n"
        "  clade learn-taxonomy documents/ --linkage complete --levels 3 -o taxonomy.csv\n"
        "  clade learn-taxonomy train.svm --method kmeans --branching 8 -o taxonomy.csv\n"
        "  clade learn-taxonomy animals.csv --method wordnet -o taxonomy.csv\n"
        "  clade train train.svm --taxonomy taxonomy.csv --classifier top-down-svm -o model.clade\n"
        "  clade learn-taxonomy --list\n");
  }

  void run(Context& ctx, const CommonOptions& common) override {
    if (list_) return show_methods(taxonomy_learners(), common.json);
    if (path_.empty()) throw usage_error("nothing to learn from", "expected DATA and -o TAXONOMY");
    check_request(options_);
    if (output_.empty()) throw usage_error("nowhere to put the taxonomy", "expected -o TAXONOMY");
    check_outputs();
    const LoadedData loaded = timed(ctx, "reading", [&] { return read_dataset(path_, read_.options, ctx); });
    for (const auto& note : loaded.report.notes) ctx.info(note);
    LearnedTaxonomy learned = timed(ctx, "learning", [&] { return learn_taxonomy(loaded.data, options_, ctx); });
    if (learned.dendrogram.classes.empty() && !(dendrogram_.empty() && picture_.empty())) {
      throw usage_error(fmt::format("{} makes no dendrogram", learned.method),
                        "expected another method with --dendrogram and --picture");
    }
    learned.notes = with_flags(std::move(learned.notes));
    for (const auto& note : learned.notes) ctx.info(note);
    write(learned, ctx);
    if (common.json) return print_json(learned_taxonomy_json(learned, loaded.data, outputs()));
    print(fmt::format("{}\ntaxonomy -> {}\n", learned_taxonomy_text(learned, loaded.data), fmt::join(outputs(), ", ")));
  }

 private:
  std::vector<std::string> outputs() const {
    std::vector<std::string> files{output_};
    for (const std::string& file : {dendrogram_, picture_}) {
      if (!file.empty()) files.push_back(file);
    }
    return files;
  }

  // Checks the outputs before the work.
  void check_outputs() const {
    const std::vector<std::string> inputs = read_.inputs({path_});
    for (const std::string& file : outputs()) check_output(file, force_, inputs);
    check_taxonomy_output(output_, force_, inputs);
  }

  void write(const LearnedTaxonomy& learned, Context& ctx) const {
    WriteOptions options;
    options.overwrite = force_;
    if (!dendrogram_.empty()) options.beside.push_back({dendrogram_, dendrogram_json(learned)});
    if (!picture_.empty()) {
      const std::string title = fmt::format("Classes of {} by {}", file_name(path_), manner(learned));
      options.beside.push_back({picture_, dendrogram_svg(learned, title)});
    }
    write_taxonomy(learned.taxonomy, output_, options, ctx);
  }

  static std::string file_name(const std::filesystem::path& path) {
    return (path.has_filename() ? path : path.parent_path()).filename().string();
  }

  static std::string manner(const LearnedTaxonomy& learned) {
    for (const auto& [name, value] : learned.parameters) {
      if (name == "linkage") return value + " linkage";
    }
    return learned.method;
  }

  std::string path_;
  std::string output_;
  std::string dendrogram_;
  std::string picture_;
  bool list_ = false;
  bool force_ = false;
  LearnTaxonomyOptions options_;
  ReadArguments read_;
};

}  // namespace

std::unique_ptr<Command> make_learn_taxonomy_command() {
  return std::make_unique<LearnTaxonomyCommand>();
}

}  // namespace clade::cli
