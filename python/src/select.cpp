#include <clade/select.h>
#include <clade/taxonomy.h>
#include <fmt/format.h>

#include <algorithm>

#include "arrays.h"
#include "bindings.h"
#include "report/flag_text.h"
#include "report/ranking_report.h"
#include "select/ranking_file.h"

namespace clade::python {
namespace {

SelectOptions select_options(const std::string& method, const Texts& parameters, const Texts& options,
                             const std::vector<std::string>& nodes, const std::string& top) {
  SelectOptions request = with_options(SelectOptions{}, options);
  request.method = method;
  request.parameters = parameters_of(parameters);
  request.nodes = nodes;
  request.top = top;
  return request;
}

// A ranking with the names of its features and nodes, but without the data that it was made on.
struct Ranking {
  std::shared_ptr<const FeatureRanking> ranking;
  Dataset names;  // has no samples
  // Are its nodes those of the hierarchy of the data? Otherwise, from a file or unpickled, they are known by name only.
  bool is_bound = true;
};

Dataset names_only(Index features, const Taxonomy& taxonomy, std::vector<std::string> feature_names) {
  Dataset::Parts parts{.features = DenseMatrix<float>{0, features, Buffer<float>(0)}};
  parts.taxonomy = taxonomy;
  parts.feature_names = std::move(feature_names);
  return Dataset(std::move(parts));
}

std::vector<std::string> feature_names_of(const Dataset& data) {
  if (!data.has_feature_names()) return {};
  return {data.feature_names().begin(), data.feature_names().end()};
}

constexpr std::string_view kWholeData = "*";

// Numbers the nodes of a ranking that is known by names: the hierarchy is the first with all others below it.
Ranking unbound(FeatureRanking ranking, const std::vector<std::string>& nodes, Index features,
                std::vector<std::string> feature_names) {
  TaxonomyBuilder builder;
  builder.node(nodes.empty() ? kWholeData : nodes.front());
  for (const std::string& name : nodes) {
    if (name != nodes.front()) builder.edge(nodes.front(), name);
  }
  const Taxonomy taxonomy = builder.build();
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    ranking.nodes[k].node = nodes[k] == kWholeData ? kNoNode : *taxonomy.find(nodes[k]);
  }
  return {std::make_shared<const FeatureRanking>(std::move(ranking)),
          names_only(features, taxonomy, std::move(feature_names)), false};
}

Ranking from_file(const std::string& path, Context& ctx) {
  RankingFile file = read_ranking_file(path, ctx);
  FeatureRanking ranking{.method = std::move(file.method), .parameters = std::move(file.parameters)};
  ranking.objective = std::move(file.objective);
  ranking.gap = file.gap;
  ranking.residuals = std::move(file.residuals);
  ranking.tuning = std::move(file.tuning);
  ranking.notes = std::move(file.notes);
  std::vector<std::string> names;
  for (RankingFile::Node& node : file.nodes) {
    if (node.weight.empty()) node.weight.assign(node.ranking.size(), 0);
    ranking.nodes.push_back({kNoNode, std::move(node.ranking), std::move(node.weight), std::move(node.common),
                             node.samples, node.children});
    names.push_back(std::move(node.name));
  }
  const Index features = std::ssize(file.features);
  return unbound(std::move(ranking), names, features, std::move(file.features));
}

std::string node_name(const Ranking& self, const NodeRanking& node) {
  return node.node == kNoNode ? std::string(kWholeData) : self.names.taxonomy().name(node.node);
}

// The same ranking for data with the same features and nodes, by name, wherever they stand in its hierarchy.
Ranking bound_to(const Ranking& self, const Dataset& data) {
  if (self.names.features() != data.features()) {
    throw usage_error(fmt::format("a ranking of {} features, the data have {}", self.names.features(), data.features()),
                      "expected a ranking made on the same features");
  }
  for (Index f = 0; self.names.has_feature_names() && data.has_feature_names() && f < data.features(); ++f) {
    const auto at = static_cast<std::size_t>(f);
    if (self.names.feature_names()[at] == data.feature_names()[at]) continue;
    throw usage_error(fmt::format("feature {} of the ranking is '{}', of the data '{}'", f,
                                  self.names.feature_names()[at], data.feature_names()[at]),
                      "expected a ranking made on the same features");
  }
  FeatureRanking ranking = *self.ranking;
  for (NodeRanking& node : ranking.nodes) {
    if (node.node == kNoNode) continue;
    const std::string name = node_name(self, node);
    const auto known = data.taxonomy().find(name);
    if (!known) {
      throw usage_error(fmt::format("a ranking of a node '{}', which the hierarchy does not have", name),
                        "expected a ranking made over it");
    }
    node.node = *known;
  }
  return {std::make_shared<const FeatureRanking>(std::move(ranking)),
          names_only(data.features(), data.taxonomy(), feature_names_of(data)), true};
}

Ranking best_of(const Ranking& self, const std::string& top) {
  const auto count = static_cast<std::size_t>(parse_top(top, self.names.features()));
  FeatureRanking ranking = *self.ranking;
  for (NodeRanking& node : ranking.nodes) {
    node.ranking.resize(std::min(node.ranking.size(), count));
    node.weight.resize(node.ranking.size());
    node.common.resize(std::min(node.common.size(), node.ranking.size()));
  }
  return {std::make_shared<const FeatureRanking>(std::move(ranking)), self.names, self.is_bound};
}

Ranking with_parameter(const Ranking& self, const std::string& name, const std::string& text) {
  FeatureRanking ranking = *self.ranking;
  for (auto& [known, value] : ranking.parameters) {
    if (known == name) value = text;
  }
  return {std::make_shared<const FeatureRanking>(std::move(ranking)), self.names, self.is_bound};
}

// Names, features, weights, common features, samples and children.
py::list nodes_of(const Ranking& self) {
  py::list nodes;
  for (const NodeRanking& node : self.ranking->nodes) {
    nodes.append(py::make_tuple(
        text_of(node_name(self, node)), view_of(node.ranking.data(), {std::ssize(node.ranking)}, self.ranking),
        view_of(node.weight.data(), {std::ssize(node.weight)}, self.ranking),
        view_of(node.common.data(), {std::ssize(node.common)}, self.ranking), node.samples, node.children));
  }
  return nodes;
}

py::object tuning_tuple(const std::optional<SelectTuning>& tuning) {
  if (!tuning) return py::none();
  py::list settings;
  for (const SelectTuning::Setting& setting : tuning->settings) {
    settings.append(py::make_tuple(setting.parameters, setting.value, setting.problem));
  }
  return py::make_tuple(tuning->criterion, tuning->features, settings, tuning->chosen);
}

std::optional<SelectTuning> tuning_from(const py::object& state) {
  if (state.is_none()) return std::nullopt;
  const auto parts = state.cast<py::tuple>();
  SelectTuning tuning{.criterion = parts[0].cast<std::string>(), .features = parts[1].cast<Index>()};
  for (const auto& setting : parts[2].cast<py::list>()) {
    const auto entry = setting.cast<py::tuple>();
    tuning.settings.push_back({entry[0].cast<std::vector<std::pair<std::string, std::string>>>(),
                               entry[1].cast<std::optional<double>>(), entry[2].cast<std::string>()});
  }
  tuning.chosen = parts[3].cast<std::size_t>();
  return tuning;
}

py::object feature_name_list(const Ranking& self) {
  if (!self.names.has_feature_names()) return py::none();
  return texts_of(self.names.feature_names());
}

py::tuple state_of(const Ranking& self) {
  const FeatureRanking& r = *self.ranking;
  return py::make_tuple(r.method, r.parameters, nodes_of(self), r.objective, r.gap, r.residuals, tuning_tuple(r.tuning),
                        r.seconds, texts_of(r.notes), self.names.features(), feature_name_list(self));
}

template <class T>
std::vector<T> vector_from(const py::handle& array) {
  const auto values = array.cast<Array<T>>();
  return {values.data(), values.data() + values.size()};
}

Ranking restored(const py::tuple& state) {
  constexpr std::size_t kParts = 11;
  if (state.size() != kParts) throw usage_error("no state of a ranking", "expected what pickle kept");
  FeatureRanking r{.method = state[0].cast<std::string>(),
                   .parameters = state[1].cast<std::vector<std::pair<std::string, std::string>>>()};
  std::vector<std::string> names;
  for (const auto& entry : state[2].cast<py::list>()) {
    const auto node = entry.cast<py::tuple>();
    names.push_back(bytes_of(node[0]));
    r.nodes.push_back({kNoNode, vector_from<FeatureIndex>(node[1]), vector_from<double>(node[2]),
                       vector_from<FeatureIndex>(node[3]), node[4].cast<Index>(), node[5].cast<Index>()});
  }
  r.objective = state[3].cast<std::vector<double>>();
  r.gap = state[4].cast<std::optional<double>>();
  r.residuals = state[5].cast<std::vector<std::pair<std::string, std::vector<double>>>>();
  r.tuning = tuning_from(state[6]);
  r.seconds = state[7].cast<double>();
  r.notes = strings_of(state[8]);
  const auto features = state[9].cast<Index>();
  const auto is_known = [&](FeatureIndex f) { return f >= 0 && f < features; };
  for (const NodeRanking& node : r.nodes) {
    if (node.weight.size() != node.ranking.size() || !std::ranges::all_of(node.ranking, is_known) ||
        !std::ranges::all_of(node.common, is_known)) {
      throw usage_error("no state of a ranking", "expected what pickle kept");
    }
  }
  std::vector<std::string> feature_names;
  if (!state[10].is_none()) feature_names = strings_of(state[10]);
  if (!feature_names.empty() && std::ssize(feature_names) != features) {
    throw usage_error(fmt::format("{} names of {} features", feature_names.size(), features), "expected as many");
  }
  return unbound(std::move(r), names, features, std::move(feature_names));
}

void write(const Ranking& self, const FilePath& path, bool overwrite) {
  FeatureRanking ranking = *self.ranking;
  ranking.notes = with_flags(std::move(ranking.notes));  // as the command line writes them
  write_ranking(ranking, self.names, path, overwrite);
}

std::string json_of(const Ranking& self) {
  FeatureRanking ranking = *self.ranking;
  for (std::string& note : ranking.notes) note = with_keywords(note);
  return ranking_json_text(ranking, self.names);
}

}  // namespace

FeatureRanking ranking_of(const py::object& ranking) {
  const auto& given = ranking.cast<const Ranking&>();
  if (!given.is_bound) throw usage_error("a ranking of no data", "expected one of bound_to(data)");
  return *given.ranking;
}

SelectOptions selecting(const py::dict& select) {
  SelectOptions request = select_options(
      select["method"].cast<std::string>(), select["parameters"].cast<Texts>(), select["options"].cast<Texts>(),
      select["nodes"].cast<std::vector<std::string>>(), select["top"].cast<std::string>());
  if (select.contains("memory")) request.memory = select["memory"].cast<std::string>();
  return request;
}

void bind_select(py::module_& module) {
  py::class_<Ranking>(module, "Ranking")
      .def_property_readonly("method", [](const Ranking& r) { return r.ranking->method; })
      .def_property_readonly("parameters", [](const Ranking& r) { return r.ranking->parameters; })
      .def_property_readonly("features", [](const Ranking& r) { return r.names.features(); })
      .def_property_readonly("objective", [](const Ranking& r) { return r.ranking->objective; })
      .def_property_readonly("gap", [](const Ranking& r) { return r.ranking->gap; })
      .def_property_readonly("residuals", [](const Ranking& r) { return r.ranking->residuals; })
      .def_property_readonly("seconds", [](const Ranking& r) { return r.ranking->seconds; })
      .def("feature_names", &feature_name_list)
      .def("notes", [](const Ranking& r) { return notes_of(r.ranking->notes); })
      // Criterion, features that were judged, settings (parameters, value, problem), and the number of the chosen one.
      .def("tuning", [](const Ranking& r) { return tuning_tuple(r.ranking->tuning); })
      .def("nodes", &nodes_of)
      .def("json", &json_of)
      .def("top", &best_of, py::arg("top"))
      .def("with_parameter", &with_parameter, py::arg("name"), py::arg("text"))
      .def("bound_to", &bound_to, py::arg("data"))
      .def("write", &write, py::arg("path"), py::arg("overwrite"))
      .def(py::pickle(&state_of, &restored));

  module.def(
      "select",
      [](const Dataset& data, const py::dict& select_request, const Settings& settings) {
        const SelectOptions options = selecting(select_request);
        check_request(options);
        FeatureRanking ranking = run(settings, [&](Context& ctx) {
          FeatureRanking found = select(data, options, ctx);
          for (const std::string& note : found.notes) ctx.info(note);
          return found;
        });
        return Ranking{std::make_shared<const FeatureRanking>(std::move(ranking)),
                       names_only(data.features(), data.taxonomy(), feature_names_of(data))};
      },
      py::arg("data"), py::arg("request"), py::arg("settings"));
  module.def("check_select", [](const py::dict& request) { check_request(selecting(request)); }, py::arg("request"));
  module.def("top_count", &parse_top, py::arg("top"), py::arg("features"));
  // Without data, features and nodes are known by the names that the file has.
  module.def(
      "read_ranking",
      [](const FilePath& path, const py::object& data, const Settings& settings) {
        Ranking ranking = run(settings, [&](Context& ctx) { return from_file(path, ctx); });
        if (data.is_none()) return ranking;
        const auto& own = data.cast<const Dataset&>();
        run(settings, [&](Context& ctx) { return read_ranking(path, own, ctx); });  // its messages name the file
        return bound_to(ranking, own);
      },
      py::arg("path"), py::arg("data"), py::arg("settings"));
}

}  // namespace clade::python
