#pragma once

#include <clade/io.h>
#include <clade/predictions.h>
#include <clade/train.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <span>
#include <string>

#include "runtime.h"

// What the parts of the module give each other; each part binds one subject of the library.
namespace clade::python {

// The name of a file, as the system spells it: any bytes but NUL.
struct FilePath {
  std::string text;
  operator const std::string&() const { return text; }
};

}  // namespace clade::python

template <>
struct pybind11::detail::type_caster<clade::python::FilePath> {
  PYBIND11_TYPE_CASTER(clade::python::FilePath, const_name("str"));
  bool load(handle source, bool /*convert*/) {
    PyObject* bytes = nullptr;
    if (PyUnicode_FSConverter(source.ptr(), &bytes) == 0) throw error_already_set();
    const auto kept = reinterpret_steal<object>(bytes);
    value.text.assign(PyBytes_AS_STRING(bytes), static_cast<std::size_t>(PyBytes_GET_SIZE(bytes)));
    return true;
  }
  static handle cast(const clade::python::FilePath& path, return_value_policy /*policy*/, handle /*parent*/) {
    return PyUnicode_DecodeFSDefaultAndSize(path.text.data(), static_cast<ssize_t>(path.text.size()));
  }
};

namespace clade::python {

void bind_taxonomy(py::module_& module);
void bind_labels(py::module_& module);
void bind_data(py::module_& module);
void bind_select(py::module_& module);
void bind_feature_tree(py::module_& module);
void bind_train(py::module_& module);
void bind_model(py::module_& module);
void bind_evaluate(py::module_& module);
void bind_statistics(py::module_& module);
void bind_learn(py::module_& module);
void bind_experiment(py::module_& module);
void bind_methods(py::module_& module);

// Notes of the library as a user of Python reads them.
py::list notes_of(std::span<const std::string> notes);

// How to read files, from the options of all subjects by name.
ReadOptions reading(const Texts& options);

// What the request to select features asks for: a dict of method, parameters, options, nodes and top.
SelectOptions selecting(const py::dict& select);
FeatureRanking ranking_of(const py::object& ranking);

// Label sets as arrays: offsets, nodes and scores.
py::tuple prediction_arrays(Predictions predictions);
// Refuses those of other samples, and nodes that the taxonomy does not have.
Predictions predictions_of(const py::tuple& arrays, Index samples, const Taxonomy& taxonomy);

}  // namespace clade::python
