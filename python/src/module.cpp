// The extension module: the library as Python sees it, without comfort. The package `clade` around it adds the rest.

#include <clade/build.h>
#include <clade/version.h>

#include "bindings.h"
#include "report/version_report.h"

PYBIND11_MODULE(_core, module) {
  using namespace clade::python;
  module.doc() = "The library of Clade; use the package clade instead.";
  module.attr("__version__") = CLADE_VERSION;
  module.def("build_json", [] { return clade::version_json(clade::build(), clade::program_build); });
  bind_runtime(module);
  bind_taxonomy(module);
  bind_labels(module);
  bind_data(module);
  bind_select(module);
  bind_feature_tree(module);
  bind_model(module);
  bind_train(module);
  bind_evaluate(module);
  bind_statistics(module);
  bind_learn(module);
  bind_experiment(module);
  bind_methods(module);
}
