#include "report/diagnosis_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "report/json_text.h"
#include "report/text_table.h"

namespace clade {
namespace {

using nlohmann::json;
using Rows = std::vector<std::vector<std::string>>;

constexpr double kSignificant = 0.05;
constexpr double kTwoSided = 1.96;  // standard errors
constexpr std::size_t kShown = 30;  // rows of a table

std::string share(double value) {
  return fmt::format("{:.4f}", value);
}

std::string signed_share(double value) {
  return fmt::format("{:+.4f}", value);
}

std::string p_text(double p) {
  return fmt::format("{:.4g}", p);
}

// The first rows, and how many more there are.
std::string table_of(Rows rows, std::size_t left, std::size_t text_from = std::string::npos) {
  const std::size_t all = rows.size() - 1;
  if (all > kShown) rows.resize(kShown + 1);
  std::string text = aligned_table(rows, left, text_from);
  if (all > kShown) text += fmt::format("  ... {} more\n", all - kShown);
  return text;
}

std::string centroids_text(const CentroidFit& fit) {
  const std::string of =
      fmt::format("cosines of the {}means of {} classes", fit.is_centred ? "centred " : "", fit.classes);
  std::string text = "Are classes alike that are near each other in the hierarchy? ";
  if (!fit.correlation) {
    text += fmt::format("Nothing to compare: all pairs are equally far, or equally alike ({}).\n", of);
  } else {
    const bool is_clear = fit.p <= kSignificant;
    text +=
        fmt::format("{}: rank correlation of distance and cosine {:+.3f}, p {} by {} permutations of the classes.\n",
                    is_clear ? "Yes" : "Not more than by chance", *fit.correlation, p_text(fit.p), fit.permutations);
  }
  Rows rows{{"distance", "pairs", "cosine"}};
  for (const DistanceRow& row : fit.rows) {
    rows.push_back({std::to_string(row.distance), std::to_string(row.pairs), fmt::format("{:.4f}", row.cosine)});
  }
  return text + fmt::format("({})\n", of) + table_of(rows, 0);
}

// What is compared: sets of several labels are seldom exactly right.
double main_gain(const PairedGain& gain, bool has_several_labels) {
  return has_several_labels ? gain.hierarchical_f1 : gain.accuracy;
}

std::string verdict(const PairedGain& gain, bool has_several_labels) {
  if (gain.p > kSignificant) return "no clear difference";
  return main_gain(gain, has_several_labels) > 0 ? "better" : "worse";
}

std::string trials_text(const Diagnosis& d) {
  std::string text = "Does the hierarchy help? ";
  const auto flat = std::ranges::find(d.trials, "flat", &HierarchyTrial::name);
  if (flat != d.trials.end() && flat->given_gain) {
    text += fmt::format("Against none: {}", verdict(*flat->given_gain, d.has_several_labels));
    if (d.random) {
      text += fmt::format("; {} of {} random hierarchies of the same shape {} as good", d.random->as_good,
                          d.random->draws, d.random->as_good == 1 ? "is" : "are");
    }
    text += ".\n";
  } else {
    text += "There is none.\n";
  }
  Rows rows{{"hierarchy", "accuracy", "hierarchical F1", "given - this", "error", "p"}};
  for (const HierarchyTrial& trial : d.trials) {
    if (!trial.problem.empty()) continue;
    rows.push_back({trial.name, share(trial.accuracy), share(trial.hierarchical_f1)});
    if (!trial.given_gain) continue;
    const PairedGain& gain = *trial.given_gain;
    const double error = d.has_several_labels ? gain.hierarchical_f1_error : gain.accuracy_error;
    rows.back().insert(rows.back().end(),
                       {signed_share(main_gain(gain, d.has_several_labels)), share(error), p_text(gain.p)});
  }
  if (d.random) {
    const RandomTrials& random = *d.random;
    const double lead = d.has_several_labels ? d.trials[0].hierarchical_f1 - random.hierarchical_f1
                                             : d.trials[0].accuracy - random.accuracy;
    rows.push_back({fmt::format("random, mean of {}", random.draws), share(random.accuracy),
                    share(random.hierarchical_f1), signed_share(lead),
                    share(d.has_several_labels ? random.hierarchical_f1_deviation : random.accuracy_deviation),
                    p_text(random.p)});
    rows.push_back({"random, best", share(random.best_accuracy), share(random.best_hierarchical_f1)});
  }
  text += table_of(rows, 1);
  for (const HierarchyTrial& trial : d.trials) {
    if (!trial.problem.empty()) text += fmt::format("  {}: {}\n", trial.name, trial.problem);
  }
  return text;
}

std::string gain_verdict(const PairedGain& gain) {
  const double bound = kTwoSided * gain.accuracy_error;
  return gain.accuracy > bound ? "helps" : gain.accuracy < -bound ? "hurts" : "nothing clear";
}

std::string nodes_text(const std::vector<NodeGain>& nodes) {
  Rows rows{{"node", "classes", "samples", "gain below", "error", "", "as a group", "error", ""}};
  for (const NodeGain& node : nodes) {
    std::vector<std::string> row{node.node, std::to_string(node.classes), std::to_string(node.samples)};
    const auto add = [&](const PairedGain* gain) {
      if (gain == nullptr) {
        row.insert(row.end(), {"", "", ""});
      } else {
        row.insert(row.end(), {signed_share(gain->accuracy), share(gain->accuracy_error), gain_verdict(*gain)});
      }
    };
    add(node.below ? &node.below->gain : nullptr);
    add(node.as_group ? &*node.as_group : nullptr);
    rows.push_back(std::move(row));
  }
  return "Where does it help? Gain in accuracy of what is below a node over the same classes at once, and of the node "
         "itself as a group.\n" +
         table_of(rows, 1, 8);
}

std::string findings_text(const Diagnosis& d) {
  std::string text;
  if (!d.alike.empty()) {
    Rows rows{{"siblings", "below", "samples", "accuracy", "larger class", "mistakes"}};
    for (const AlikeSiblings& pair : d.alike) {
      rows.push_back({pair.first + ", " + pair.second, pair.parent, std::to_string(pair.samples), share(pair.accuracy),
                      share(pair.larger_share), std::to_string(pair.mistakes)});
    }
    text += "Siblings that cannot be told apart; as one class, so many mistakes fewer:\n" + table_of(rows, 2) + "\n";
  }
  if (!d.small.empty()) {
    Rows rows{{"class", "samples"}};
    for (const SmallClass& small : d.small) rows.push_back({small.name, std::to_string(small.samples)});
    text += "Classes with few samples:\n" + table_of(rows, 1) + "\n";
  }
  return text;
}

std::string edit_verdict(const TaxonomyEdit& edit) {
  if (edit.is_accepted) return "proposed";
  if (edit.p > kSignificant) return "no clear gain";
  return edit.gain->accuracy > 0 ? "instead of another" : "worse";
}

std::string edits_text(const Diagnosis& d) {
  const auto accepted = std::ranges::count_if(d.edits, &TaxonomyEdit::is_accepted);
  if (d.edits.empty()) return "What would be better? No edit looks promising.\n";
  std::string text =
      fmt::format("What would be better? {} {} proposed, of {} that {} tried.\n", accepted,
                  accepted == 1 ? "edit is" : "edits are", d.edits.size(), d.edits.size() == 1 ? "was" : "were");
  Rows rows{{"edit", "gain", "error", "p", "samples", ""}};
  for (const TaxonomyEdit& edit : d.edits) {
    rows.push_back({edit_text(edit)});
    if (edit.gain) {
      rows.back().insert(rows.back().end(), {signed_share(edit.gain->accuracy), share(edit.gain->accuracy_error),
                                             p_text(edit.p), std::to_string(edit.gain->samples)});
    } else {
      rows.back().insert(rows.back().end(), {"", "", "", ""});
    }
    rows.back().push_back(edit_verdict(edit));
  }
  text += table_of(rows, 1, 5);
  if (d.edited_gain) {
    text += fmt::format(
        "All proposed edits together: {} ({}) on all {} samples, which is optimistic: they were accepted "
        "on them.\n",
        signed_share(d.edited_gain->accuracy), share(d.edited_gain->accuracy_error), d.edited_gain->samples);
  }
  return text;
}

json gain_json(const PairedGain& gain) {
  return {{"samples", gain.samples},
          {"accuracy", gain.accuracy},
          {"accuracy_error", gain.accuracy_error},
          {"hierarchical_f1", gain.hierarchical_f1},
          {"hierarchical_f1_error", gain.hierarchical_f1_error},
          {"only_new", gain.only_new},
          {"only_old", gain.only_old},
          {"p", gain.p}};
}

json gain_or_null(const std::optional<PairedGain>& gain) {
  return gain ? gain_json(*gain) : json();
}

json centroids_json(const std::optional<CentroidFit>& fit) {
  if (!fit) return {};
  json rows = json::array();
  for (const DistanceRow& row : fit->rows) {
    rows.push_back({{"distance", row.distance}, {"pairs", row.pairs}, {"cosine", row.cosine}});
  }
  return {{"classes", fit->classes},
          {"centred", fit->is_centred},
          {"by_distance", std::move(rows)},
          {"correlation", number_or_null(fit->correlation)},
          {"p", fit->p},
          {"permutations", fit->permutations}};
}

json trials_json(const Diagnosis& d) {
  json trials = json::array();
  for (const HierarchyTrial& trial : d.trials) {
    if (!trial.problem.empty()) {
      trials.push_back({{"hierarchy", trial.name}, {"problem", trial.problem}});
      continue;
    }
    trials.push_back({{"hierarchy", trial.name},
                      {"accuracy", trial.accuracy},
                      {"hierarchical_f1", trial.hierarchical_f1},
                      {"given_gain", gain_or_null(trial.given_gain)}});
  }
  return trials;
}

json random_json(const std::optional<RandomTrials>& random) {
  if (!random) return {};
  return {{"draws", random->draws},
          {"accuracy", random->accuracy},
          {"accuracy_deviation", random->accuracy_deviation},
          {"hierarchical_f1", random->hierarchical_f1},
          {"hierarchical_f1_deviation", random->hierarchical_f1_deviation},
          {"best_accuracy", random->best_accuracy},
          {"best_hierarchical_f1", random->best_hierarchical_f1},
          {"as_good", random->as_good},
          {"p", random->p}};
}

std::string_view kind_word(TaxonomyEdit::Kind kind) {
  if (kind == TaxonomyEdit::Kind::kMove) return "move";
  return kind == TaxonomyEdit::Kind::kRemove ? "remove" : "collapse";
}

}  // namespace

std::string edit_text(const TaxonomyEdit& edit) {
  if (edit.kind == TaxonomyEdit::Kind::kMove) {
    return fmt::format("move {} from {} to {}", edit.node, edit.from, edit.to);
  }
  return fmt::format("remove {} below {}{}", edit.node, edit.from,
                     edit.kind == TaxonomyEdit::Kind::kCollapse ? ", which divides nothing" : "");
}

std::string diagnosis_text(const Diagnosis& d, const std::string& data) {
  std::string text =
      fmt::format("{}: {} of {} classes; {}, {} folds\n\n", data,
                  counted(static_cast<std::size_t>(d.samples), "sample"), d.classes, d.classifier, d.folds);
  if (d.centroids) text += centroids_text(*d.centroids) + "\n";
  text += trials_text(d) + "\n";
  if (!d.nodes.empty()) text += nodes_text(d.nodes) + "\n";
  text += findings_text(d) + edits_text(d);
  if (!d.left_out.empty()) text += "\nNot done:\n";
  for (const std::string& line : d.left_out) text += "  " + line + "\n";
  return text;
}

std::string diagnosis_json(const Diagnosis& d, const std::string& data, const std::vector<std::string>& files) {
  json nodes = json::array();
  for (const NodeGain& node : d.nodes) {
    nodes.push_back({{"node", node.node},
                     {"classes", node.classes},
                     {"samples", node.samples},
                     {"accuracy", node.below ? json(node.below->accuracy) : json()},
                     {"flat_accuracy", node.below ? json(node.below->flat_accuracy) : json()},
                     {"gain", node.below ? gain_json(node.below->gain) : json()},
                     {"as_group", gain_or_null(node.as_group)}});
  }
  json alike = json::array();
  for (const AlikeSiblings& pair : d.alike) {
    alike.push_back({{"classes", {pair.first, pair.second}},
                     {"parent", pair.parent},
                     {"samples", pair.samples},
                     {"accuracy", pair.accuracy},
                     {"larger_share", pair.larger_share},
                     {"mistakes", pair.mistakes}});
  }
  json small = json::array();
  for (const SmallClass& one : d.small) small.push_back({{"class", one.name}, {"samples", one.samples}});
  json edits = json::array();
  for (const TaxonomyEdit& edit : d.edits) {
    edits.push_back({{"kind", kind_word(edit.kind)},
                     {"node", edit.node},
                     {"from", edit.from},
                     {"to", edit.to.empty() ? json() : json(edit.to)},
                     {"gain", gain_or_null(edit.gain)},
                     {"p", edit.gain ? json(edit.p) : json()},
                     {"accepted", edit.is_accepted}});
  }
  return json_text({{"data", data},
                    {"samples", d.samples},
                    {"classes", d.classes},
                    {"classifier", d.classifier},
                    {"folds", d.folds},
                    {"centroids", centroids_json(d.centroids)},
                    {"hierarchies", trials_json(d)},
                    {"random", random_json(d.random)},
                    {"nodes", std::move(nodes)},
                    {"alike_siblings", std::move(alike)},
                    {"small_classes", std::move(small)},
                    {"edits", std::move(edits)},
                    {"edited_gain", gain_or_null(d.edited_gain)},
                    {"left_out", d.left_out},
                    {"seconds", d.seconds},
                    {"files", files}});
}

}  // namespace clade
