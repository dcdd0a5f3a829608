#include <clade/feature_tree.h>
#include <clade/io.h>
#include <fmt/format.h>

#include <filesystem>

#include "cli/command.h"
#include "cli/read_arguments.h"
#include "report/feature_tree_report.h"

namespace clade::cli {
namespace {

class FeatureTreeCommand : public Command {
 public:
  std::string_view name() const override { return "feature-tree"; }
  std::string_view help() const override { return "arrange the features of a data set in a hierarchy"; }

  void declare(Arguments& arguments) override {
    arguments.positional("DATA", path_, "data set whose features to arrange", false);
    arguments.option("--method", "METHOD", options_.method, "the method; --list shows all");
    arguments.option("-o,--output", "FILE", output_, "file for the tree (JSON), such as tree.json");
    arguments.option("--memory", "SIZE", options_.memory,
                     "memory for the work, beside the data, such as 4G (default: most of it)");
    arguments.flag("--list", list_, "show the methods with their parameters");
    arguments.flag("--force", force_, "overwrite the output if it exists");
    arguments.parameters("Parameters of the methods", {"--method", "method", feature_tree_methods()},
                         options_.parameters);
    arguments.often("--output --method --list --force");
    read_.declare(arguments);
    arguments.examples(
        "  clade feature-tree documents/ --method wordnet --depth 4 -o tree.json\n"
        "  clade feature-tree faces.mat --method spatial --height 32 --width 32 -o tree.json\n"
        "  clade feature-tree genes.csv --method agglomerative --depth 3 -o tree.json\n"
        "  clade feature-tree data.csv --method file --groups groups.json -o tree.json\n"
        "  clade info tree.json\n");
  }

  void run(Context& ctx, const CommonOptions& common) override {
    if (list_) return show_methods(feature_tree_methods(), common.json);
    if (path_.empty() || options_.method.empty()) {
      throw usage_error("nothing to arrange", "expected DATA, --method M and -o TREE; --list shows the methods");
    }
    check_request(options_);
    if (output_.empty()) throw usage_error("nowhere to put the tree", "expected -o TREE");
    const auto groups = options_.parameters.find("groups");
    const std::string given = groups == options_.parameters.end() ? "" : groups->second.text();
    check_output(output_, force_, read_.inputs({path_, given}));  // before the work
    const LoadedData loaded = timed(ctx, "reading", [&] { return read_dataset(path_, read_.options, ctx); });
    for (const auto& note : loaded.report.notes) ctx.info(note);
    FeatureHierarchy hierarchy = timed(ctx, "arranging", [&] { return make_feature_tree(loaded.data, options_, ctx); });
    hierarchy.notes = with_flags(std::move(hierarchy.notes));
    for (const auto& note : hierarchy.notes) ctx.info(note);
    write_feature_tree(hierarchy, output_, force_);
    if (common.json) return print_json(feature_tree_json(hierarchy, output_));
    print(fmt::format("{}\ntree -> {}\n", feature_tree_text(hierarchy), output_));
  }

 private:
  std::string path_;
  std::string output_;
  bool list_ = false;
  bool force_ = false;
  FeatureTreeOptions options_;
  ReadArguments read_;
};

}  // namespace

std::unique_ptr<Command> make_feature_tree_command() {
  return std::make_unique<FeatureTreeCommand>();
}

}  // namespace clade::cli
