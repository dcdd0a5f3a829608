#include "experiment/specification.h"

#include <clade/names.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "experiment/spec_checks.h"
#include "io/input.h"

namespace clade {
namespace {

class ExperimentParser {
 public:
  ExperimentParser(const TomlValue& document, const std::string& path, std::uint64_t seed)
      : document_(document), file_(path) {
    result_.path = path;
    result_.seed = seed;
    result_.evaluate.confusions = 0;
  }

  Experiment parse() {
    const std::vector<std::string> known{"seed", "measures", "predictions", "evaluate",
                                         "tune", "data",     "taxonomy",    "recipe"};
    for (const auto& [key, value] : document_.members()) {
      if (std::ranges::find(known, key) == known.end()) {
        throw file_.unknown_key(value, key, "an experiment", known);
      }
    }
    parse_seed();
    parse_measures();
    parse_predictions();
    parse_options("evaluate", {ParameterTable(result_.evaluate), policy()});
    parse_options("tune", {ParameterTable(result_.tune)});
    require_measure(result_.tune.measure, document_);
    each("data", "data set", [&](const TomlValue& table) { result_.data.push_back(data_of(table)); });
    each("taxonomy", "taxonomy", [&](const TomlValue& table) { add_taxonomies(table); });
    if (result_.taxonomies.empty()) result_.taxonomies.push_back({.name = "given"});
    each("recipe", "recipe", [&](const TomlValue& table) {
      result_.recipes.push_back(parse_recipe(table, file_, predictions_));
      check_budget(result_.recipes.back(), table);
    });
    for (const char* kind : {"data", "recipe"}) {
      if (document_.find(kind) == nullptr) {
        throw input_error({.file = file_.path()}, fmt::format("no [[{}]]", kind), "expected one at least");
      }
    }
    check_restrictions();
    check_earlier_selections();
    check_count();
    check_names();
    return std::move(result_);
  }

 private:
  ParameterTable policy() {
    ParameterTable table;
    describe_policy(table, result_.predict);
    return table;
  }

  void add_part(std::string name, std::string text) { result_.parts.emplace_back(std::move(name), std::move(text)); }

  void parse_seed() {
    const TomlValue* value = document_.find("seed");
    if (value != nullptr) {
      Index seed = 0;
      ParameterTable table;
      table("seed", seed, nonnegative(), "");
      file_.set({table}, "seed", *value);
      result_.seed = static_cast<std::uint64_t>(seed);
    }
    add_part("the seed", std::to_string(result_.seed));
  }

  void require_measure(const std::string& measure, const TomlValue& at) const {
    std::vector<std::string> names;
    for (const MeasureInfo& info : clade::measures()) names.emplace_back(info.name);
    if (std::ranges::find(names, measure) == names.end()) {
      throw file_.error(at, fmt::format("no measure '{}'", measure), expected_name(measure, names));
    }
  }

  void parse_measures() {
    const TomlValue* value = document_.find("measures");
    result_.measures =
        value == nullptr ? std::vector<std::string>{"accuracy", "hierarchical_f1"} : file_.list(*value, "measures");
    for (const std::string& measure : result_.measures) require_measure(measure, value == nullptr ? document_ : *value);
    add_part("measures", fmt::format("{}", fmt::join(result_.measures, ",")));
  }

  void parse_predictions() {
    const TomlValue* value = document_.find("predictions");
    if (value != nullptr) predictions_ = parse_kept_predictions(*value, file_);
    add_part("predictions", value == nullptr ? "" : canonical_text(*value));
  }

  // A whole grid that is to be searched must fit into the budget; successive halving makes itself fit.
  void check_budget(const ExperimentRecipe& recipe, const TomlValue& table) const {
    if (result_.tune.budget == 0 || result_.tune.halving) return;
    for (const RecipeVariant& variant : recipe.variants) {
      const Index count = std::ssize(variant.candidates);
      if (count <= result_.tune.budget) continue;
      throw file_.error(*table.find("tune"),
                        fmt::format("recipe '{}' has {} combinations to tune, and the budget is {}", recipe.name, count,
                                    result_.tune.budget),
                        "expected fewer, a larger budget, or halving = true in [tune]");
    }
  }

  void parse_options(const std::string& name, const std::vector<ParameterTable>& tables) {
    const TomlValue* table = document_.find(name);
    if (table == nullptr) return add_part(fmt::format("[{}]", name), "");
    file_.require_table(*table, name);
    for (const auto& [key, value] : table->members()) {
      if (!file_.set(tables, key, value)) {
        throw file_.unknown_key(value, key, fmt::format("[{}]", name), parameter_names(tables));
      }
      if (key == "measure") require_measure(value.text, value);
      if (key == "loss-volumes") result_.evaluate.loss_volumes = file_.file(value, key);
    }
    add_part(fmt::format("[{}]", name), canonical_text(*table));
  }

  // The tables of one kind, whose names must differ.
  template <class Parse>
  void each(const std::string& key, const std::string& kind, const Parse& parse) {
    const TomlValue* list = document_.find(key);
    if (list == nullptr) return;
    if (list->kind != TomlValue::Kind::kList) {
      throw file_.error(*list, fmt::format("{} is not a list of tables", key), fmt::format("expected [[{}]]", key));
    }
    std::map<std::string, Index> lines;
    for (const TomlValue& table : list->items) {
      if (table.kind != TomlValue::Kind::kTable) {
        throw file_.error(table, fmt::format("{} has a value that is no table", key),
                          fmt::format("expected [[{}]]", key));
      }
      const std::string& name = file_.name(table, kind);
      const auto [entry, is_new] = lines.emplace(name, table.line);
      if (!is_new) {
        throw file_.error(*table.find("name"), fmt::format("a second {} '{}'", kind, name),
                          fmt::format("expected another name: line {} has this one", entry->second));
      }
      parse(table);
      add_part(fmt::format("{} '{}'", kind, name), canonical_text(table));
    }
  }

  ExperimentData data_of(const TomlValue& table) {
    ExperimentData data;
    data.name = file_.name(table, "data set");
    data.reading.missing = Missing::kKeep;
    data.reading.text.min_document_frequency = 0;  // by the number of documents
    data.reading.text.sublinear = true;
    ParameterTable own;
    own("folds", data.folds, between(2, 100'000), "");
    own("holdout", data.holdout, inside(0, 1), "");
    own("repeats", data.repeats, between(1, 100'000), "");
    own("subtree", data.keep.subtree, "");
    own("first-label", data.reading.first_label, "");
    own("single-labels", data.keep.single_labels, "");
    own("without-duplicates", data.keep.without_duplicates, "");
    own("merge-below", data.keep.merge_below, nonnegative(), "");
    const std::vector<ParameterTable> tables{own, general_parameters(data.reading), label_parameters(data.reading),
                                             table_parameters(data.reading), text_parameters(data.reading)};
    for (const auto& [key, value] : table.members()) {
      if (key == "name") continue;
      if (key == "file" || key == "train") {
        if (!data.file.empty()) throw file_.error(value, "both file and train", "expected one of them");
        data.file = file_.file(value, key);
      } else if (key == "test") {
        data.test = file_.file(value, key);
      } else if (key == "fold-file") {
        data.fold_file = file_.file(value, key);
      } else if (key == "select-on") {
        data.select_on = file_.file(value, key);
      } else if (key == "per-class") {
        for (const std::string& text : file_.list(value, key)) {
          ParameterTable count;
          count("per-class", data.per_class.emplace_back(), at_least(1), "");
          file_.at(value, [&] { count.set(key, text); });
        }
      } else if (key == "bad-rows") {
        throw file_.error(value, "bad-rows writes a file", "expected skip-bad");
      } else if (!file_.set(tables, key, value)) {
        std::vector<std::string> known{"name", "file", "train", "test", "fold-file", "per-class", "select-on"};
        for (const std::string& name : parameter_names(tables)) known.push_back(name);
        throw file_.unknown_key(value, key, fmt::format("data set '{}'", data.name), known);
      }
      for (auto [name, path] :
           {std::pair{"taxonomy", &data.reading.taxonomy}, std::pair{"labels-file", &data.reading.labels_file},
            std::pair{"label-map", &data.reading.label_map}, std::pair{"vocabulary", &data.reading.vocabulary}}) {
        if (key != name) continue;
        *path = file_.file(value, key);
        std::error_code ignored;
        if (std::filesystem::is_directory(*path, ignored)) {
          throw file_.error(value, fmt::format("{}: {} is a folder", key, *path), "expected a file");
        }
      }
    }
    if (data.reading.missing == Missing::kMean) {
      data.missing = Missing::kMean;
      data.reading.missing = Missing::kKeep;
    }
    check_protocol(data, table);
    return data;
  }

  // A data set is measured in one way.
  void check_protocol(const ExperimentData& data, const TomlValue& table) const {
    const std::string of = fmt::format("data set '{}'", data.name);
    if (data.file.empty()) throw file_.error(table, of + " has no file", "expected file = \"...\", or train and test");
    const int ways = (data.test.empty() ? 0 : 1) + (data.folds > 0 ? 1 : 0) + (data.fold_file.empty() ? 0 : 1) +
                     (data.holdout > 0 ? 1 : 0);
    if (ways > 1) {
      throw file_.error(table, of + " is to be measured in several ways",
                        "expected one of test, folds, fold-file and holdout");
    }
    if (ways == 0 && data.per_class.empty()) {
      throw file_.error(table, of + " has no test samples",
                        "expected folds = 5, fold-file, test, holdout = 0.2 or per-class = 10");
    }
    if (!data.per_class.empty() && (!data.fold_file.empty() || data.holdout > 0)) {
      throw file_.error(table, of + ": per-class chooses samples", "expected it alone, or with folds or test");
    }
    if (data.keep.merge_below > 0 && !data.test.empty()) {
      throw file_.error(*table.find("merge-below"), of + ": merge-below would merge other classes of the test file",
                        "expected one file");
    }
    if (table.find("train") != nullptr && data.test.empty()) {
      throw file_.error(*table.find("train"), of + " has no test file", "expected test = \"...\", or file");
    }
    if (table.find("file") != nullptr && !data.test.empty()) {
      throw file_.error(*table.find("file"), of + " has a test file", "expected train = \"...\" with it");
    }
  }

  void add_taxonomies(const TomlValue& table) {
    ExperimentTaxonomy taxonomy;
    taxonomy.name = file_.name(table, "taxonomy");
    const std::string of = fmt::format("taxonomy '{}'", taxonomy.name);
    const TomlValue* kind = table.find("kind");
    if (kind == nullptr) throw file_.error(table, of + " has no kind", "expected given, flat, random or learned");
    const std::map<std::string, ExperimentTaxonomy::Kind> kinds{{"given", ExperimentTaxonomy::Kind::kGiven},
                                                                {"flat", ExperimentTaxonomy::Kind::kFlat},
                                                                {"random", ExperimentTaxonomy::Kind::kRandom},
                                                                {"learned", ExperimentTaxonomy::Kind::kLearned}};
    const auto found = kinds.find(file_.single(*kind, "kind"));
    if (found == kinds.end()) {
      std::vector<std::string> names;
      for (const auto& entry : kinds) names.push_back(entry.first);
      throw file_.error(*kind, fmt::format("no kind '{}' of taxonomies", kind->text), expected_name(kind->text, names));
    }
    taxonomy.kind = found->second;
    ParameterTable own;
    own("draws", taxonomy.draws, between(1, 100'000), "");
    for (const auto& [key, value] : table.members()) {
      if (key == "name" || key == "kind") continue;
      if (key == "draws" && taxonomy.kind == ExperimentTaxonomy::Kind::kRandom) {
        file_.set({own}, key, value);
      } else if (taxonomy.kind == ExperimentTaxonomy::Kind::kLearned && key == "method") {
        taxonomy.learn.method = file_.single(value, key);
      } else if (taxonomy.kind == ExperimentTaxonomy::Kind::kLearned && key == "scale") {
        file_.at(value, [&] { ParameterTable(taxonomy.learn).set("scale", file_.single(value, key)); });
      } else if (taxonomy.kind == ExperimentTaxonomy::Kind::kLearned && key == "parameters") {
        file_.require_table(value, key);
        for (const auto& [name, member] : value.members()) taxonomy.learn.parameters[name] = file_.single(member, name);
      } else {
        std::vector<std::string> known{"name", "kind"};
        if (taxonomy.kind == ExperimentTaxonomy::Kind::kRandom) known.emplace_back("draws");
        if (taxonomy.kind == ExperimentTaxonomy::Kind::kLearned) {
          known.insert(known.end(), {"method", "scale", "parameters"});
        }
        throw file_.unknown_key(value, key, of, known);
      }
    }
    if (taxonomy.kind == ExperimentTaxonomy::Kind::kLearned) {
      const TomlValue* parameters = table.find("parameters");
      const TomlValue* method = table.find("method");
      file_.at(parameters != nullptr ? *parameters
               : method != nullptr   ? *method
                                     : table,
               [&] { check_request(taxonomy.learn); });
    }
    result_.taxonomies.push_back(std::move(taxonomy));
  }

  // The names in `data` and `taxonomies` of recipes.
  void check_restrictions() const {
    std::vector<std::string> data;
    std::vector<std::string> taxonomies;
    for (const ExperimentData& one : result_.data) data.push_back(one.name);
    for (const ExperimentTaxonomy& one : result_.taxonomies) taxonomies.push_back(one.name);
    for (const TomlValue& table : document_.find("recipe")->items) {
      for (const auto& [key, names] : {std::pair{"data", &data}, std::pair{"taxonomies", &taxonomies}}) {
        const TomlValue* value = table.find(key);
        if (value == nullptr) continue;
        for (const std::string& name : file_.list(*value, key)) {
          if (std::ranges::find(*names, name) != names->end()) continue;
          throw file_.error(*value, fmt::format("{}: no '{}' in this experiment", key, name),
                            expected_name(name, *names));
        }
      }
    }
  }

  // Names are made of several parts, and may come out alike where the parts differ.
  void check_names() const {
    std::map<std::string, std::string> data;
    for (const ExperimentData& one : result_.data) {
      const std::vector<Index> sizes = one.per_class.empty() ? std::vector<Index>{0} : one.per_class;
      for (const Index size : sizes) {
        note_name(data, size > 0 ? fmt::format("{} k={}", one.name, size) : one.name, "data set", one.name);
      }
    }
    std::map<std::string, std::string> methods;
    for (const ExperimentRecipe& recipe : result_.recipes) {
      for (const RecipeVariant& variant : recipe.variants) {
        const std::string name = variant.parameters.empty() ? recipe.name : recipe.name + " " + variant.parameters;
        note_name(methods, name, "recipe", recipe.name);
        for (const ExperimentTaxonomy& taxonomy : result_.taxonomies) {
          if (result_.taxonomies.size() > 1) note_name(methods, name + " @" + taxonomy.name, "recipe", recipe.name);
        }
      }
    }
  }

  void note_name(std::map<std::string, std::string>& owners, const std::string& name, const std::string& kind,
                 const std::string& owner) const {
    const auto [entry, is_new] = owners.emplace(name, owner);
    if (is_new || entry->second == owner) return;
    const std::string key = kind == "recipe" ? "recipe" : "data";
    for (const TomlValue& table : document_.find(key)->items) {
      if (file_.name(table, kind) != owner) continue;
      throw file_.error(
          *table.find("name"),
          fmt::format("{} '{}' and {} '{}' are both called '{}' in results", kind, entry->second, kind, owner, name),
          "expected other names");
    }
  }

  // A ranking of one hierarchy says nothing about the nodes of another.
  void check_earlier_selections() const {
    for (const TomlValue& table : document_.find("data")->items) {
      const TomlValue* value = table.find("select-on");
      if (value == nullptr) continue;
      for (const ExperimentTaxonomy& taxonomy : result_.taxonomies) {
        if (taxonomy.kind == ExperimentTaxonomy::Kind::kGiven) continue;
        throw file_.error(*value, fmt::format("select-on with the taxonomy '{}'", taxonomy.name),
                          "expected the taxonomy of the data alone");
      }
    }
  }

  void check_count() const {
    double samples = 0;
    for (const ExperimentData& data : result_.data) {
      samples +=
          static_cast<double>(data.repeats) * static_cast<double>(std::max<std::size_t>(1, data.per_class.size()));
    }
    double draws = 0;
    for (const ExperimentTaxonomy& taxonomy : result_.taxonomies) draws += taxonomy.draws;
    double count = 0;
    for (const ExperimentRecipe& recipe : result_.recipes) {
      count += samples * draws * static_cast<double>(recipe.variants.size()) * std::max(1, recipe.orders);
    }
    require_countable(count, "the experiment has {} cells", document_, file_);
  }

  const TomlValue& document_;
  SpecFile file_;
  KeptPredictions predictions_ = KeptPredictions::kNone;
  Experiment result_;
};

}  // namespace

void describe(ParameterTable& v, TuneOptions& o) {
  v("folds", o.folds, between(2, 1000), "inner folds");
  v("measure", o.measure, "what the parameters are chosen for");
  v("halving", o.halving, "successive halving: drop the worse half of the candidates on growing parts of the samples");
  v("budget", o.budget, nonnegative(),
    "the most work, in candidates that are measured on all training samples; 0: any");
}

void describe(ParameterTable& v, ExperimentOptions& o) {
  v("resume", o.resume, "go on with a run that was interrupted");
  v("memory", o.memory,
    "memory of the process for everything, such as 4G; cells wait for each other to stay within it");
}

Experiment parse_experiment(const TomlValue& document, const std::string& path, std::uint64_t seed) {
  Experiment experiment = ExperimentParser(document, path, seed).parse();
  make_cells(experiment);
  return experiment;
}

Experiment read_experiment(const std::string& path, std::uint64_t seed) {
  constexpr std::size_t kMostBytes = 16U << 20U;
  Context ctx({.threads = 1});
  const Input input = Input::open(path, ctx);
  if (input.bytes().size() > kMostBytes) throw input_error({.file = path}, "more than 16 MiB", "expected less");
  return parse_experiment(parse_toml(input.bytes(), path), path, seed);
}

}  // namespace clade
