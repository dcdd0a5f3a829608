#include <clade/io.h>
#include <clade/model.h>
#include <clade/train.h>
#include <fmt/format.h>

#include <filesystem>

#include "cli/command.h"
#include "cli/read_arguments.h"
#include "cli/train_arguments.h"
#include "report/model_report.h"

namespace clade::cli {
namespace {

class TrainCommand : public Command {
 public:
  std::string_view name() const override { return "train"; }
  std::string_view help() const override { return "train a classifier over the class hierarchy"; }

  void declare(Arguments& arguments) override {
    arguments.positional("DATA", path_, "data set to train on", false);
    arguments.option("-o,--output", "FILE", output_, "file for the model");
    arguments.option("--append", "MODEL", append_,
                     "continue training this perceptron or hieron model; without -o it is replaced");
    arguments.flag("--list", list_, "show the classifiers with their parameters");
    arguments.flag("--force", force_, "overwrite the output if it exists");
    train_.declare(arguments);
    read_.declare(arguments);
    arguments.examples(
        "  clade train train.svm --taxonomy tree.csv --classifier top-down-svm -o model.clade\n"
        "  clade train train.arff --classifier top-down-logistic --calibrate temperature -o model.clade\n"
        "  clade train train.arff --classifier top-down-svm --features ranking.json --top 40 -o model.clade\n"
        "  clade train train.arff --classifier top-down-svm --select hirr-fam --top 10% -o model.clade\n"
        "  clade train monday.svm --taxonomy tree.csv --classifier hierarchical-perceptron --epochs 1 -o model.clade\n"
        "  clade train --append model.clade tuesday.svm --taxonomy tree.csv\n"
        "  clade train --list\n");
  }

  void run(Context& ctx, const CommonOptions& common) override {
    if (list_) return show_methods(classifiers(), common.json);
    if (path_.empty()) throw usage_error("nothing to train on", "expected DATA and --classifier C");
    if (!append_.empty()) return go_on(ctx, common);
    train_.check();
    if (output_.empty()) throw usage_error("nowhere to put the model", "expected -o MODEL");
    if (output_ == "-") {
      throw usage_error("a model is not for standard output", "expected a file: -o model.clade");
    }
    check_output(output_, force_, inputs());  // before the work
    const LoadedData loaded =
        timed(ctx, "reading", [&] { return read_dataset(path_, train_.reading(read_.options), ctx); });
    for (const auto& note : loaded.report.notes) ctx.info(note);
    const Model model = timed(ctx, "training", [&] {
      return clade::train(loaded.data, train_.recipe_for(loaded.data, ctx), train_.weights_for(loaded.data, ctx), ctx);
    });
    write(model, force_, ctx, common);
  }

 private:
  void write(const Model& model, bool overwrite, Context& ctx, const CommonOptions& common) const {
    timed(ctx, "writing", [&] { write_model(model, output_, overwrite); });
    std::error_code no_file;  // /dev/null has no size
    const auto size = std::filesystem::file_size(output_, no_file);
    const auto bytes = no_file ? Index{0} : static_cast<Index>(size);
    if (common.json) return print_json(model_json(model, bytes));
    print(fmt::format("{}model -> {}\n", model_text(model, path_, bytes), output_));
  }

  void go_on(Context& ctx, const CommonOptions& common) {
    train_.check_append();
    const Model model = read_model(append_);
    const bool replaces = output_.empty();
    if (replaces) output_ = append_;
    check_output(output_, force_ || replaces, inputs());
    const LoadedData loaded =
        timed(ctx, "reading", [&] { return read_dataset(path_, reading_for(model, read_.options), ctx); });
    for (const auto& note : loaded.report.notes) ctx.info(note);
    const Model next = timed(ctx, "training", [&] {
      return continue_training(model, loaded.data, train_.parameters(), train_.weights_for(loaded.data, ctx), ctx);
    });
    write(next, force_ || replaces, ctx, common);
  }

  std::vector<std::string> inputs() const {
    std::vector<std::string> files = read_.inputs({path_});
    for (std::string& file : train_.inputs()) files.push_back(std::move(file));
    return files;
  }

  std::string path_;
  std::string append_;
  std::string output_;
  bool list_ = false;
  bool force_ = false;
  TrainArguments train_;
  ReadArguments read_;
};

}  // namespace

std::unique_ptr<Command> make_train_command() {
  return std::make_unique<TrainCommand>();
}

}  // namespace clade::cli
