#include <clade/evaluate.h>
#include <clade/experiment.h>
#include <clade/feature_tree.h>
#include <clade/io.h>
#include <clade/learn.h>
#include <clade/predict.h>
#include <clade/select.h>
#include <clade/synthetic.h>
#include <clade/text.h>
#include <clade/train.h>
#include <clade/wordnet.h>

#include "arrays.h"
#include "bindings.h"
#include "report/format_report.h"
#include "report/page/model_page.h"
#include "report/parameter_tables.h"

namespace clade::python {
namespace {

std::string parameters_text(const ParameterTable& table) {
  return parameters_json(infos_of(table));
}

template <class Options>
std::string options_text() {
  Options options;
  return parameters_text(ParameterTable(options));
}

py::list measure_list() {
  py::list all;
  for (const MeasureInfo& measure : measures()) {
    py::dict entry;
    entry["name"] = measure.name;
    entry["help"] = measure.help;
    entry["source"] = measure.source;
    entry["higher_is_better"] = measure.higher_is_better;
    all.append(entry);
  }
  return all;
}

// Options of reading by subject.
py::dict reading_options() {
  ReadOptions options = reading({});
  py::dict subjects;
  subjects["data"] = parameters_text(general_parameters(options));
  subjects["labels"] = parameters_text(label_parameters(options));
  subjects["tables"] = parameters_text(table_parameters(options));
  subjects["text"] = parameters_text(text_parameters(options));
  return subjects;
}

}  // namespace

void bind_methods(py::module_& module) {
  module.def("selectors", [] { return methods_json(selectors()); });
  module.def("classifiers", [] { return methods_json(classifiers()); });
  module.def("taxonomy_learners", [] { return methods_json(taxonomy_learners()); });
  module.def("feature_tree_methods", [] { return methods_json(feature_tree_methods()); });
  module.def("measures", &measure_list);
  module.def("reading_options", &reading_options);
  module.def("options", [] {
    py::dict tables;
    tables["select"] = options_text<SelectOptions>();
    tables["predict"] = options_text<PredictOptions>();
    tables["evaluate"] = options_text<EvaluateOptions>();
    tables["decide"] = options_text<DecideOptions>();
    tables["experiment"] = options_text<ExperimentOptions>();
    tables["synthetic_data"] = options_text<SyntheticOptions>();
    tables["synthetic_text"] = options_text<SyntheticTextOptions>();
    tables["wordnet_corpus"] = options_text<WordNetCorpusOptions>();
    tables["model_page"] = options_text<ModelPageOptions>();
    tables["write"] = options_text<WriteOptions>();
    return tables;
  });
  module.def("methods", [] {
    const MethodFamily families[] = {{{}, "selectors", selectors()},
                                     {{}, "classifiers", classifiers()},
                                     {{}, "taxonomy_learners", taxonomy_learners()},
                                     {{}, "feature_trees", feature_tree_methods()}};
    return methods_json(families);
  });
  module.def("formats", [] { return formats_json(data_format_infos(), taxonomy_format_infos()); });
}

}  // namespace clade::python
