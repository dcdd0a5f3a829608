#include <clade/dataset.h>
#include <clade/io.h>
#include <clade/split.h>
#include <clade/summary.h>
#include <clade/synthetic.h>
#include <clade/text.h>
#include <clade/wordnet.h>
#include <fmt/format.h>

#include <algorithm>

#include "arrays.h"
#include "bindings.h"
#include "checks.h"
#include "report/data_report.h"

namespace clade::python {

ReadOptions reading(const Texts& texts) {
  ReadOptions options;
  options.text.min_document_frequency = 0;  // the defaults of the command line
  options.text.sublinear = true;
  ParameterTable tables[] = {general_parameters(options), label_parameters(options), table_parameters(options),
                             text_parameters(options)};
  for (const auto& [name, text] : texts) {
    ParameterTable* table = &tables[0];
    for (ParameterTable& candidate : tables) {
      if (std::ranges::any_of(candidate.parameters(), [&](const Parameter& p) { return p.name == name; })) {
        table = &candidate;
      }
    }
    table->set(name, text);
  }
  return options;
}

namespace {

// Sorted, without repeats, and without ancestors of other labels. `codes` are numbers of classes, whose nodes are
// given.
LabelSets label_sets(const Taxonomy& taxonomy, std::span<const NodeId> class_nodes, std::span<const std::int32_t> codes,
                     std::span<const Index> offsets) {
  if (offsets.empty() || offsets.front() != 0) {
    throw usage_error("the offsets of the labels do not begin with 0", "expected one per sample, and one more");
  }
  LabelSets labels;
  labels.nodes.reserve(codes.size());
  std::vector<NodeId> own;
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    if (offsets[s] < 0 || offsets[s] > offsets[s + 1] || offsets[s + 1] > std::ssize(codes)) {
      throw usage_error("the offsets of the labels do not rise", "expected one per sample, and one more");
    }
    own.clear();
    for (Index k = offsets[s]; k < offsets[s + 1]; ++k) {
      const std::int32_t code = codes[static_cast<std::size_t>(k)];
      if (code < 0 || code >= std::ssize(class_nodes)) throw usage_error("no such class", "expected its number");
      const NodeId node = class_nodes[static_cast<std::size_t>(code)];
      if (node < 0 || node >= taxonomy.size()) throw usage_error("no such node", "expected its number");
      own.push_back(node);
    }
    std::ranges::sort(own);
    own.erase(std::unique(own.begin(), own.end()), own.end());
    if (own.size() > 1) {
      const std::vector<NodeId> all = own;
      std::erase_if(own, [&](NodeId node) {
        return std::ranges::any_of(all, [&](NodeId other) { return taxonomy.is_ancestor(node, other); });
      });
    }
    labels.nodes.insert(labels.nodes.end(), own.begin(), own.end());
    labels.offsets.push_back(std::ssize(labels.nodes));
  }
  return labels;
}

struct Labels {
  Array<NodeId> class_nodes;
  Array<std::int32_t> codes;
  Array<Index> offsets;
};

Dataset assembled(FeatureMatrix features, const Taxonomy& taxonomy, const Labels& labels,
                  const py::object& feature_names, const py::object& sample_names) {
  Dataset::Parts parts{.features = std::move(features)};
  parts.labels = label_sets(taxonomy, span_of(labels.class_nodes), span_of(labels.codes), span_of(labels.offsets));
  parts.taxonomy = taxonomy;
  if (!feature_names.is_none()) parts.feature_names = strings_of(feature_names);
  if (!sample_names.is_none()) parts.sample_names = strings_of(sample_names);
  const Index rows = row_count(parts.features);
  const Index columns = column_count(parts.features);
  if (columns < 0 || columns > kMaxFeatures) {
    throw usage_error(fmt::format("{} features", columns), fmt::format("expected at most {}", kMaxFeatures));
  }
  if (parts.labels.samples() != rows) {
    throw usage_error(fmt::format("labels of {} samples for {}", parts.labels.samples(), rows), "expected as many");
  }
  if (!feature_names.is_none() && std::ssize(parts.feature_names) != columns) {
    throw usage_error(fmt::format("{} names of {} features", parts.feature_names.size(), columns), "expected as many");
  }
  if (!sample_names.is_none() && std::ssize(parts.sample_names) != rows) {
    throw usage_error(fmt::format("{} names of {} samples", parts.sample_names.size(), rows), "expected as many");
  }
  return Dataset(std::move(parts));
}

template <class T>
Dataset dense_data(const Array<T>& values, const Taxonomy& taxonomy, const Labels& labels,
                   const py::object& feature_names, const py::object& sample_names) {
  if (values.ndim() != 2) throw usage_error(fmt::format("an array of {} dimensions", values.ndim()), "expected 2");
  return assembled(DenseMatrix<T>{values.shape(0), values.shape(1), borrowed(values)}, taxonomy, labels, feature_names,
                   sample_names);
}

Buffer<Index> offsets_of(const py::array& offsets) {
  if (py::isinstance<Array<Index>>(offsets)) return borrowed(offsets.cast<Array<Index>>());
  if (!py::isinstance<Array<std::int32_t>>(offsets)) throw py::type_error("expected offsets of 32 or 64 bits");
  const auto narrow = offsets.cast<Array<std::int32_t>>();
  Buffer<Index> wide(narrow.size());
  std::copy_n(narrow.data(), narrow.size(), wide.begin());
  return wide;
}

template <class T>
void check_rows(const SparseMatrix<T>& matrix) {
  if (matrix.offsets[0] != 0 || matrix.offsets[matrix.rows] != matrix.values.size() ||
      matrix.indices.size() != matrix.values.size()) {
    throw usage_error("a sparse matrix whose parts do not fit together", "expected compressed rows (CSR)");
  }
  for (Index row = 0; row < matrix.rows; ++row) {
    const Index begin = matrix.offsets[row];
    const Index end = matrix.offsets[row + 1];
    if (begin > end || begin < 0 || end > matrix.values.size()) {
      throw usage_error(fmt::format("the offsets of row {} fall", row), "expected compressed rows (CSR)");
    }
    FeatureIndex last = -1;
    for (Index k = begin; k < end; ++k) {
      const FeatureIndex column = matrix.indices[k];
      if (column <= last || column >= matrix.columns) {
        throw usage_error(fmt::format("row {} has column {} after {}", row, column, last),
                          fmt::format("expected columns that ascend, below {}", matrix.columns));
      }
      last = column;
    }
  }
}

template <class T>
Dataset sparse_data(const py::array& offsets, const Array<FeatureIndex>& indices, const Array<T>& values, Index columns,
                    const Taxonomy& taxonomy, const Labels& labels, const py::object& feature_names,
                    const py::object& sample_names) {
  if (offsets.ndim() != 1 || offsets.size() == 0 || indices.ndim() != 1 || values.ndim() != 1) {
    throw usage_error("a sparse matrix whose parts do not fit together", "expected compressed rows (CSR)");
  }
  SparseMatrix<T> matrix{offsets.size() - 1, columns, offsets_of(offsets), borrowed(indices), borrowed(values)};
  {
    const py::gil_scoped_release released;
    check_rows(matrix);
  }
  return assembled(std::move(matrix), taxonomy, labels, feature_names, sample_names);
}

// The values without a copy: an array, or the three of compressed rows. Of a view of samples, those of all samples.
py::object base_matrix_of(const Dataset& data) {
  return std::visit(
      [&](const auto& m) -> py::object {
        if constexpr (requires { m.indices; }) {
          return py::make_tuple(view_of(m.offsets.data(), {m.rows + 1}, data),
                                view_of(m.indices.data(), {m.nonzeros()}, data),
                                view_of(m.values.data(), {m.nonzeros()}, data));
        } else {
          return view_of(m.values.data(), {m.rows, m.columns}, data);
        }
      },
      data.matrix());
}

// Views of samples are not contiguous.
py::object matrix_of(const Dataset& data) {
  if (data.is_view()) throw usage_error("a view of samples has no matrix of its own", "expected the whole data set");
  return base_matrix_of(data);
}

// The rows of the matrix that the samples of a view are; none: all of them.
py::object rows_of(const Dataset& data) {
  if (!data.is_view()) return py::none();
  std::vector<Index> rows;
  for (Index s = 0; s < data.samples(); ++s) rows.push_back(data.source_row(s));
  return array_of(std::move(rows));
}

py::tuple labels_of(const Dataset& data) {
  std::vector<Index> offsets{0};
  std::vector<NodeId> nodes;
  for (Index s = 0; s < data.samples(); ++s) {
    const auto own = data.labels(s);
    nodes.insert(nodes.end(), own.begin(), own.end());
    offsets.push_back(std::ssize(nodes));
  }
  return py::make_tuple(array_of(std::move(offsets)), array_of(std::move(nodes)));
}

py::object sample_names_of(const Dataset& data) {
  if (!data.has_sample_names()) return py::none();
  py::list names(static_cast<std::size_t>(data.samples()));
  for (Index s = 0; s < data.samples(); ++s) names[static_cast<std::size_t>(s)] = text_of(data.sample_name(s));
  return names;
}

Dataset subset_of(const Dataset& data, const Array<Index>& rows) {
  for (const Index row : span_of(rows)) {
    if (row < 0 || row >= data.samples()) throw py::index_error("no such sample");
  }
  return data.subset(std::vector<Index>(rows.data(), rows.data() + rows.size()));
}

py::tuple split_arrays(Split split) {
  return py::make_tuple(array_of(std::move(split.train)), array_of(std::move(split.test)));
}

py::array_t<int> fold_array(const Dataset& data, int folds, std::uint64_t seed, const py::object& groups) {
  if (groups.is_none()) return array_of(stratified_folds(data, folds, seed));
  return array_of(grouped_folds(one_per_sample(groups.cast<Array<Index>>(), data, "groups"), folds, seed));
}

py::tuple split_of(const Dataset& data, double share, std::uint64_t seed, const py::object& groups,
                   const py::object& times) {
  if (!groups.is_none()) {
    return split_arrays(group_split(one_per_sample(groups.cast<Array<Index>>(), data, "groups"), share, seed));
  }
  if (!times.is_none()) {
    return split_arrays(time_split(one_per_sample(times.cast<Array<Index>>(), data, "times"), share));
  }
  return split_arrays(train_test_split(data, share, seed));
}

void bind_files(py::module_& module) {
  module.def(
      "read_data",
      [](const std::vector<FilePath>& paths, const Texts& options, const py::object& model, const Settings& settings) {
        ReadOptions how = reading(options);
        if (!model.is_none()) how = reading_for(model.cast<const Model&>(), how);
        const std::vector<std::string> names(paths.begin(), paths.end());
        LoadedData loaded = run(settings, [&](Context& ctx) { return read_datasets(names, how, ctx); });
        py::dict report;
        report["format"] = loaded.report.format;
        report["missing_values"] = loaded.report.missing_values;
        report["bad_rows"] = loaded.report.bad_rows;
        report["notes"] = notes_of(loaded.report.notes);
        return py::make_tuple(std::move(loaded.data), report);
      },
      py::arg("paths"), py::arg("options"), py::arg("model"), py::arg("settings"));
  module.def(
      "write_data",
      [](const Dataset& data, const FilePath& path, const FilePath& taxonomy_path, const Texts& options,
         const Settings& settings) {
        WriteOptions how = with_options(WriteOptions{}, options);
        how.taxonomy_path = taxonomy_path;
        return texts_of(run(settings, [&](Context& ctx) { return write_dataset(data, path, how, ctx); }));
      },
      py::arg("data"), py::arg("path"), py::arg("taxonomy_path"), py::arg("options"), py::arg("settings"));
  // The texts of one column, one per sample.
  module.def(
      "read_column",
      [](const FilePath& path, const Texts& options, const std::string& column, const Settings& settings) {
        const auto cells =
            run(settings, [&](Context& ctx) { return read_column(path, reading(options), column, ctx); });
        py::list texts;
        for (const ColumnCell& cell : cells) texts.append(text_of(cell.text));
        return texts;
      },
      py::arg("path"), py::arg("options"), py::arg("column"), py::arg("settings"));
}

void bind_synthetic(py::module_& module) {
  module.def(
      "synthetic_data",
      [](const Texts& options, const Settings& settings) {
        return run(settings,
                   [&](Context& ctx) { return synthetic_data(with_options(SyntheticOptions{}, options), ctx); });
      },
      py::arg("options"), py::arg("settings"));
  // The texts of documents, their labels, and the taxonomy of these.
  module.def(
      "synthetic_text",
      [](const Texts& options, const Settings& settings) {
        const SyntheticText text = run(
            settings, [&](Context& ctx) { return synthetic_text(with_options(SyntheticTextOptions{}, options), ctx); });
        py::list documents;
        for (Index d = 0; d < text.documents(); ++d) {
          std::string words;
          for (const FeatureIndex word : text.words_of(d)) {
            if (!words.empty()) words += ' ';
            words += text.vocabulary[static_cast<std::size_t>(word)];
          }
          documents.append(text_of(words));
        }
        return py::make_tuple(documents, array_of(text.labels.offsets), array_of(text.labels.nodes), text.taxonomy);
      },
      py::arg("options"), py::arg("settings"));
  // The same of WordNet, and the names of the documents.
  module.def(
      "wordnet_corpus",
      [](const Texts& options, const Settings& settings) {
        const WordNetCorpus corpus = run(
            settings, [&](Context& ctx) { return wordnet_corpus(with_options(WordNetCorpusOptions{}, options), ctx); });
        return py::make_tuple(texts_of(corpus.texts), array_of(corpus.labels.offsets), array_of(corpus.labels.nodes),
                              corpus.taxonomy, texts_of(corpus.ids));
      },
      py::arg("options"), py::arg("settings"));
}

}  // namespace

void bind_data(py::module_& module) {
  py::class_<Labels>(module, "Labels")
      .def(py::init([](const Array<NodeId>& class_nodes, const Array<std::int32_t>& codes,
                       const Array<Index>& offsets) { return Labels{class_nodes, codes, offsets}; }),
           py::arg("class_nodes").noconvert(), py::arg("codes").noconvert(), py::arg("offsets").noconvert());

  py::class_<Dataset>(module, "Dataset")
      .def_static("dense", &dense_data<double>, py::arg("values").noconvert(), py::arg("taxonomy"), py::arg("labels"),
                  py::arg("feature_names"), py::arg("sample_names"))
      .def_static("dense", &dense_data<float>, py::arg("values").noconvert(), py::arg("taxonomy"), py::arg("labels"),
                  py::arg("feature_names"), py::arg("sample_names"))
      .def_static("sparse", &sparse_data<double>, py::arg("offsets"), py::arg("indices").noconvert(),
                  py::arg("values").noconvert(), py::arg("columns"), py::arg("taxonomy"), py::arg("labels"),
                  py::arg("feature_names"), py::arg("sample_names"))
      .def_static("sparse", &sparse_data<float>, py::arg("offsets"), py::arg("indices").noconvert(),
                  py::arg("values").noconvert(), py::arg("columns"), py::arg("taxonomy"), py::arg("labels"),
                  py::arg("feature_names"), py::arg("sample_names"))
      .def_property_readonly("samples", &Dataset::samples)
      .def_property_readonly("features", &Dataset::features)
      .def_property_readonly("taxonomy", &Dataset::taxonomy)
      .def_property_readonly("is_sparse", [](const Dataset& d) { return is_sparse(d.matrix()); })
      .def_property_readonly("is_text", [](const Dataset& d) { return d.vectorizer() != nullptr; })
      .def("matrix", &matrix_of)
      .def("base_matrix", &base_matrix_of)
      .def("rows", &rows_of)
      .def("labels", &labels_of)
      .def("feature_names",
           [](const Dataset& d) -> py::object {
             if (!d.has_feature_names()) return py::none();
             return texts_of(d.feature_names());
           })
      .def("sample_names", &sample_names_of)
      .def("subset", &subset_of, py::arg("rows").noconvert())
      .def("relabelled",
           [](const Dataset& d, const Taxonomy& taxonomy, const Labels& labels) {
             LabelSets sets =
                 label_sets(taxonomy, span_of(labels.class_nodes), span_of(labels.codes), span_of(labels.offsets));
             if (sets.samples() != d.samples()) {
               throw usage_error(fmt::format("labels of {} samples for {}", sets.samples(), d.samples()),
                                 "expected as many");
             }
             return d.relabelled(taxonomy, std::move(sets));
           })
      .def(
          "summary",
          [](const Dataset& d, const Settings& settings, const std::string& format,
             const std::vector<std::string>& notes) {
            ReadReport report;
            report.format = format;
            report.notes = notes;
            return with_keywords(run(settings, [&](Context& ctx) { return data_json(summarise(d, ctx), report); }));
          },
          py::arg("settings"), py::arg("format") = "", py::arg("notes") = std::vector<std::string>())
      .def("difference", [](const Dataset& a, const Dataset& b) { return difference(a, b); })
      .def("prepare", [](const Dataset& d, const std::string& subtree, bool single_labels, bool without_duplicates,
                         Index merge_below, const Settings& settings) {
        PreparedData prepared = run(settings, [&](Context& ctx) {
          return prepare(d, {subtree, single_labels, without_duplicates, merge_below}, ctx);
        });
        return py::make_tuple(std::move(prepared.data), notes_of(prepared.notes));
      });

  module.def("folds", &fold_array, py::arg("data"), py::arg("folds"), py::arg("seed"), py::arg("groups"));
  module.def("split", &split_of, py::arg("data"), py::arg("share"), py::arg("seed"), py::arg("groups"),
             py::arg("times"));
  module.def(
      "subsample",
      [](const Dataset& data, Index per_class, std::uint64_t seed) {
        return array_of(subsample_per_class(data, per_class, seed));
      },
      py::arg("data"), py::arg("per_class"), py::arg("seed"));
  bind_files(module);
  bind_synthetic(module);
}

}  // namespace clade::python
