#include <clade/io.h>
#include <clade/synthetic.h>
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "data/synthetic_parameters.h"
#include "io/io_parameters.h"

namespace clade::cli {
namespace {

class SynthCommand : public Command {
 public:
  std::string_view name() const override { return "synth"; }
  std::string_view help() const override { return "generate data over a perfect tree whose nearby classes are alike"; }

  void declare(Arguments& arguments) override {
    arguments.option("-o,--output", "FILE", output_, "file to write", true);
    arguments.parameters("Data", ParameterTable(options_));
    arguments.parameters("Writing", ParameterTable(write_));
    arguments.examples(
        "  clade synth -o synth.arff\n"
        "  clade synth -o synth.npz --depth 4 --fanout 5 --features 50 --samples 10000 --seed 7\n");
  }

  void run(Context& ctx, const CommonOptions& common) override {
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
  std::string output_;
  SyntheticOptions options_;
  WriteOptions write_;
};

}  // namespace

std::unique_ptr<Command> make_synth_command() {
  return std::make_unique<SynthCommand>();
}

}  // namespace clade::cli
