#include <clade/feature_tree.h>
#include <clade/io.h>
#include <clade/model.h>
#include <clade/summary.h>
#include <fmt/format.h>

#include <filesystem>

#include "cli/command.h"
#include "cli/read_arguments.h"
#include "report/data_report.h"
#include "report/feature_tree_report.h"
#include "report/model_report.h"
#include "report/ranking_report.h"

namespace clade::cli {
namespace {

class InfoCommand : public Command {
 public:
  std::string_view name() const override { return "info"; }
  std::string_view help() const override {
    return "show what a data set, a taxonomy, a feature tree, a ranking or a model holds, and what is odd about it";
  }

  void declare(Arguments& arguments) override {
    arguments.positional("DATA", path_, "data file, folder of documents, taxonomy, feature tree, ranking, or model");
    read_.declare(arguments);
    arguments.examples(
        "  clade info train.arff\n"
        "  clade info train.svm --taxonomy tree.csv --json\n"
        "  clade info go.obo\n"
        "  clade info tree.json\n"
        "  clade info ranking.json\n"
        "  clade info model.clade\n"
        "  clade info documents/ --stem english --min-documents 3\n");
  }

  void run(Context& ctx, const CommonOptions& common) override {
    switch (read_.kind_of(path_, ctx)) {
      case FileKind::kModel:
        return show_model(common);
      case FileKind::kTaxonomy:
        return show_taxonomy(ctx, common);
      case FileKind::kFeatureTree:
        return show_feature_tree(ctx, common);
      case FileKind::kRanking:
        return common.json ? print_json(ranking_file_json(path_, ctx)) : print(ranking_file_text(path_, ctx));
      case FileKind::kData:
        break;
    }
    const LoadedData loaded = read_dataset(path_, read_.options, ctx);
    const DataSummary summary = summarise(loaded.data, ctx);
    if (common.json) return print_json(with_flags(data_json(summary, loaded.report)));
    print(with_flags(data_text(path_, summary, loaded.report)));
  }

 private:
  void show_taxonomy(Context& ctx, const CommonOptions& common) {
    const LoadedTaxonomy loaded = read_taxonomy(path_, read_.options, ctx);
    if (common.json) return print_json(taxonomy_json(loaded));
    print(taxonomy_text(path_, loaded));
  }

  void show_feature_tree(Context& ctx, const CommonOptions& common) const {
    const FeatureHierarchy hierarchy = read_feature_tree(path_, ctx);
    if (common.json) return print_json(feature_tree_json(hierarchy));
    print(fmt::format("{} (feature-tree)\n{}{}", path_, feature_tree_text(hierarchy),
                      titled_list("notes", hierarchy.notes)));
  }

  void show_model(const CommonOptions& common) const {
    // Every byte: someone may ask because they doubt the file.
    const Model model = read_verified_model(path_);
    const auto bytes = static_cast<Index>(std::filesystem::file_size(path_));
    if (common.json) return print_json(model_json(model, bytes));
    print(model_text(model, path_, bytes));
  }

  std::string path_;
  ReadArguments read_{Missing::kKeep};
};

}  // namespace

std::unique_ptr<Command> make_info_command() {
  return std::make_unique<InfoCommand>();
}

}  // namespace clade::cli
