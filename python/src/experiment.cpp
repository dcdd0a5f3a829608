#include <clade/experiment.h>

#include "arrays.h"
#include "bindings.h"
#include "report/experiment_report.h"
#include "report/page/experiment_page.h"

namespace clade::python {

void bind_experiment(py::module_& module) {
  module.def(
      "run_experiment",
      [](const FilePath& path, const FilePath& folder, const Texts& options, const Settings& settings) {
        const ExperimentOptions how = with_options(ExperimentOptions{}, options);
        return run(settings, [&](Context& ctx) {
          const Experiment experiment = read_experiment(path, ctx.seed());
          return outcome_json(run_experiment(experiment, folder, how, ctx), folder);
        });
      },
      py::arg("path"), py::arg("folder"), py::arg("options"), py::arg("settings"));
  module.def(
      "estimate_experiment",
      [](const FilePath& path, const Settings& settings) {
        return run(settings, [&](Context& ctx) {
          const Experiment experiment = read_experiment(path, ctx.seed());
          return estimate_json(experiment, estimate_experiment(experiment, ctx), ctx.threads());
        });
      },
      py::arg("path"), py::arg("settings"));
  module.def(
      "experiment_page",
      [](const FilePath& folder, const std::string& title, const std::vector<std::string>& measures,
         const Settings& settings) {
        const ExperimentPage page =
            run(settings, [&](Context& ctx) { return experiment_page(folder, {title, measures}, ctx); });
        return py::make_tuple(text_of(page.html), notes_of(page.notes));
      },
      py::arg("folder"), py::arg("title"), py::arg("measures"), py::arg("settings"));
}

}  // namespace clade::python
