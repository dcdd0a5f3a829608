#include <clade/io.h>
#include <fmt/core.h>
#include <fmt/ranges.h>

#include "cli/command.h"
#include "cli/read_arguments.h"
#include "report/json_text.h"

namespace clade::cli {
namespace {

class ConvertCommand : public Command {
 public:
  std::string_view name() const override { return "convert"; }
  std::string_view help() const override { return "convert data or a taxonomy to another format"; }

  void declare(Arguments& arguments) override {
    arguments.positional(
        "DATA", paths_,
        "data file, folder of documents or of the parts of a data set, or taxonomy file; several data files of one "
        "format are joined");
    arguments.output("-o,--output", "FILE", output_, "file to write", true);
    arguments.output("--taxonomy-out", "FILE", taxonomy_output_, "write the taxonomy of DATA here as well");
    ParameterTable writing(write_);
    writing("parts", write_.parts, between(0, 9999),
            "write this many files with as many samples each: OUT as NAME.part-0001-of-0004.svm; 0: one file");
    arguments.parameters("Writing", writing);
    arguments.often("--output --to --taxonomy-out --parts --force");
    read_.declare(arguments);
    arguments.examples(
        "  clade convert train.arff -o train.svm --missing mean\n"
        "  clade convert train.mat -o train.csv.gz --taxonomy-out tree.csv\n"
        "  clade convert documents/ -o documents.npz --weight tf-idf\n"
        "  clade convert new/ -o new.npz --vocabulary documents.npz.meta.json\n"
        "  clade convert train.arff valid.arff -o both.arff --missing keep\n"
        "  clade convert train.svm -o parts/train.svm.gz --parts 16\n"
        "  clade convert parts/ -o train.npz\n"
        "  clade convert go.obo -o go.csv\n");
  }

  void run(Context& ctx, const CommonOptions& common) override {
    write_.path_separator = read_.options.path_separator;
    if (paths_.size() == 1 && read_.kind_of(paths_[0], ctx) == FileKind::kTaxonomy)
      return convert_taxonomy(ctx, common);
    // Checked before the work. The data may be converted in place: it has been read when it is replaced.
    if (!taxonomy_output_.empty()) check_output(taxonomy_output_, write_.overwrite, inputs());
    const LoadedData loaded = timed(ctx, "reading", [&] { return read_datasets(paths_, read_.options, ctx); });
    for (const auto& note : loaded.report.notes) ctx.info(note);
    write_.taxonomy_path = taxonomy_output_;
    const std::vector<std::string> written =
        timed(ctx, "writing", [&] { return write_dataset(loaded.data, output_, write_, ctx); });
    if (common.json) {
      return print_json(json_object({{"samples", loaded.data.samples()},
                                     {"features", loaded.data.features()},
                                     {"nodes", loaded.data.taxonomy().size()},
                                     {"files", written},
                                     {"notes", loaded.report.notes}}));
    }
    if (writes_to_stream(written)) return;
    print(fmt::format("{} samples x {} features, {} classes and groups -> {}\n", loaded.data.samples(),
                      loaded.data.features(), loaded.data.taxonomy().size(), names_of(written)));
  }

 private:
  std::vector<std::string> inputs() const {
    std::vector<std::string> files = read_.inputs({});
    files.insert(files.end(), paths_.begin(), paths_.end());
    return files;
  }

  void convert_taxonomy(Context& ctx, const CommonOptions& common) {
    if (write_.parts > 0) throw usage_error("--parts has no effect on a taxonomy", "expected data with it");
    if (!taxonomy_output_.empty() || read_.options.skip_bad || !read_.options.bad_rows.empty()) {
      throw usage_error("--taxonomy-out, --skip-bad and --bad-rows have no effect on a taxonomy",
                        "expected data with them");
    }
    const LoadedTaxonomy loaded = read_taxonomy(paths_[0], read_.options, ctx);
    for (const auto& note : loaded.report.notes) ctx.info(note);
    write_taxonomy(loaded.taxonomy, output_, write_, ctx);
    if (common.json) {
      return print_json(json_object({{"nodes", loaded.taxonomy.size()},
                                     {"edges", loaded.taxonomy.edges()},
                                     {"files", std::vector<std::string>{output_}},
                                     {"notes", loaded.report.notes}}));
    }
    if (writes_to_stream({output_})) return;
    print(fmt::format("{} nodes, {} edges -> {}\n", loaded.taxonomy.size(), loaded.taxonomy.edges(), output_));
  }

  // Of many parts, the first file and the last.
  std::string names_of(const std::vector<std::string>& files) const {
    if (write_.parts < 2) return fmt::format("{}", fmt::join(files, ", "));
    return fmt::format("{} parts: {}, ..., {}", write_.parts, files.front(), files.back());
  }

  // Data on standard output must not be followed by a message about it.
  static bool writes_to_stream(const std::vector<std::string>& files) { return files.front().starts_with("/dev/"); }

  std::vector<std::string> paths_;
  std::string output_;
  std::string taxonomy_output_;
  WriteOptions write_;
  ReadArguments read_;
};

}  // namespace

std::unique_ptr<Command> make_convert_command() {
  return std::make_unique<ConvertCommand>();
}

}  // namespace clade::cli
