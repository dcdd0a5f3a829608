#include "report/bibliography.h"

#include <clade/error.h>
#include <clade/evaluate.h>
#include <clade/names.h>
#include <clade/version.h>
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "report/json_text.h"

namespace clade {
namespace {

using nlohmann::json;

constexpr std::string_view kOwn = "Clade";

constexpr Reference kCladeItself{.label = kOwn,
                                 .key = "clade",
                                 .type = "misc",
                                 .author = "{The Clade project}",
                                 .title = "{Clade}: Learning over class hierarchies",
                                 .note = "version " CLADE_VERSION};

struct OtherPart {
  std::string_view family;
  std::string_view name;
  std::string_view help;
  std::string_view source;
};

// What no table of methods or measures lists.
constexpr OtherPart kOtherParts[] = {
    {"probability_measures", "expected_calibration_error", "probabilities against accuracy, in bins of equal width",
     "Naeini et al. 2015"},
    {"probability_measures", "adaptive_calibration_error", "the same in bins of equally many samples",
     "Nguyen and O'Connor 2015"},
    {"probability_measures", "maximum_calibration_error", "the largest error of a bin", "Naeini et al. 2015"},
    {"probability_measures", "brier_score", "squared error of the probability of the first label", "Brier 1950"},
    {"probability_measures", "accuracy_coverage_area", "accuracy among the most certain samples, over all shares",
     "El-Yaniv and Wiener 2010"},
    {"probability_measures", "node_calibration_error", "calibration error of the predicted nodes", "Clade"},
    {"probability_measures", "pair_calibration_error", "calibration error of all pairs of a sample and a node",
     "Clade"},
    {"clustering_measures", "clustering_accuracy", "share of samples right under the best matching of clusters",
     "Kuhn 1955; Jonker and Volgenant 1987; Crouse 2016"},
    {"clustering_measures", "nmi", "normalised mutual information of clusters and classes", "Strehl and Ghosh 2002"},
    {"tests", "friedman", "do methods differ in their ranks over data sets", "Friedman 1937; Conover 1999"},
    {"tests", "iman-davenport", "the same by an F statistic", "Iman and Davenport 1980"},
    {"tests", "kendall-w", "how far data sets agree on the ranks", "Kendall and Smith 1939"},
    {"tests", "nemenyi", "which pairs of methods differ in their ranks", "Nemenyi 1963; Demsar 2006"},
    {"tests", "bonferroni-dunn", "which methods differ from a control", "Dunn 1961; Demsar 2006"},
    {"tests", "wilcoxon", "signed ranks of the differences of two methods", "Wilcoxon 1945"},
    {"tests", "permutation", "differences with their signs, or their labels, exchanged",
     "Fisher 1935; Phipson and Smyth 2010"},
    {"tests", "mcnemar", "samples that only one of two models has right", "McNemar 1947"},
    {"tests", "holm", "p-values adjusted for their number", "Holm 1979"},
    {"tests", "rank-biserial", "effect size of signed ranks", "Kerby 2014"},
    {"tests", "cohens-d", "effect size of a mean difference", "Cohen 1988"},
    {"tests", "bootstrap", "intervals from samples drawn with replacement", "Efron 1979"},
    {"probabilities", "sigmoid", "calibration by a logistic function", "Platt 1999; Lin et al. 2007"},
    {"probabilities", "isotonic", "calibration by a rising function", "Zadrozny and Elkan 2002"},
    {"probabilities", "temperature", "calibration by one factor", "Guo et al. 2017"},
    {"probabilities", "conformal", "answers with a guaranteed coverage",
     "Vovk et al. 2005; Lei et al. 2018; Romano et al. 2020; Barber et al. 2021"},
    {"solvers", "one-vs-rest", "dual coordinate descent of linear SVMs", "Hsieh et al. 2008"},
    {"solvers", "one-vs-one", "sequential minimal optimisation", "Fan et al. 2005"},
    {"solvers", "crammer-singer", "dual ascent over the variables of one sample", "Crammer and Singer 2001"},
    {"solvers", "label-tree", "groups of the children of a node with very many", "Prabhu et al. 2018"},
    {"solvers", "exact", "elimination of features by the duality gap", "Ndiaye et al. 2017"},
    {"solvers", "label-threshold", "the score above which a class is a label", "Elisseeff and Weston 2001"},
    {"solvers", "decide", "thresholds of label sets with the largest F1", "Clade; Dinkelbach 1967"},
    {"solvers", "landmarks", "kernels of some samples in place of all", "Williams and Seeger 2001"},
    {"solvers", "subsequence", "the kernel of strings", "Lodhi et al. 2002"},
    {"solvers", "k-means", "clusters of samples", "Lloyd 1982; Arthur and Vassilvitskii 2007"},
    {"solvers", "stability", "how far two choices of features agree", "Nogueira et al. 2018"},
};

const Reference& reference_of(std::string_view label, std::string_view part) {
  for (const Reference& reference : bibliography()) {
    if (reference.label == label) return reference;
  }
  throw std::logic_error(fmt::format("{}: the source '{}' is not in the bibliography", part, label));
}

CitedPart cited_part(std::string_view family, std::string_view name, std::string_view help, std::string_view source) {
  CitedPart part{.family = std::string(family), .name = std::string(name), .help = std::string(help)};
  while (!source.empty()) {
    const auto end = std::min(source.find("; "), source.size());
    const std::string_view label = source.substr(0, end);
    if (label == kOwn) {
      part.is_own = true;
    } else {
      part.references.push_back(&reference_of(label, name));
    }
    source.remove_prefix(std::min(end + 2, source.size()));
  }
  return part;
}

// Publications of all parts, each once, in the order of the bibliography.
std::vector<const Reference*> references_of(std::span<const CitedPart> parts) {
  std::vector<const Reference*> all;
  for (const CitedPart& part : parts) all.insert(all.end(), part.references.begin(), part.references.end());
  std::ranges::sort(all);  // they lie in one table
  const auto repeated = std::ranges::unique(all);
  all.erase(repeated.begin(), repeated.end());
  if (std::ranges::any_of(parts, &CitedPart::is_own)) all.push_back(&kCladeItself);
  return all;
}

std::string without_braces(std::string_view text) {
  std::string plain;
  std::ranges::copy_if(text, std::back_inserter(plain), [](char c) { return c != '{' && c != '}'; });
  return plain;
}

// "2833--2846" with one dash.
std::string plain_range(std::string_view range) {
  std::string text(range);
  if (const auto dash = text.find("--"); dash != std::string::npos) text.erase(dash, 1);
  return text;
}

// "Zhao, Hong and Hu, Qinghua" as "H. Zhao and Q. Hu".
std::string author_names(std::string_view author) {
  if (author.starts_with('{')) return without_braces(author);
  std::vector<std::string> names;
  while (!author.empty()) {
    const auto end = std::min(author.find(" and "), author.size());
    const std::string_view person = author.substr(0, end);
    const auto comma = person.find(", ");
    std::string name;
    bool at_start = true;
    for (const char c : person.substr(comma + 2)) {
      if (c == ' ' || c == '-') {
        at_start = true;
        if (c == '-') name += '-';
      } else if (at_start) {
        name += c;
        name += '.';
        at_start = false;
      }
      if (c == ' ') name += ' ';
    }
    names.push_back(fmt::format("{} {}", name, person.substr(0, comma)));
    author.remove_prefix(std::min(end + 5, author.size()));
  }
  const std::string last = names.back();
  names.pop_back();
  return names.empty() ? last : fmt::format("{} and {}", fmt::join(names, ", "), last);
}

// One line for people.
std::string reference_text(const Reference& r) {
  std::string text = fmt::format("{}: {}.", author_names(r.author), without_braces(r.title));
  std::vector<std::string> rest;
  if (!r.where.empty()) {
    std::string where = fmt::format("{}{}{}", r.where, r.volume.empty() ? "" : " ", r.volume);
    if (!r.number.empty()) where += fmt::format("({})", plain_range(r.number));
    rest.push_back(where);
  }
  if (r.type == "phdthesis") rest.emplace_back("PhD thesis");
  if (!r.publisher.empty()) rest.emplace_back(r.publisher);
  if (!r.pages.empty()) rest.push_back(plain_range(r.pages));
  if (!r.year.empty()) rest.emplace_back(r.year);
  if (!r.note.empty()) rest.emplace_back(r.note);
  if (!rest.empty()) text += fmt::format(" {}.", fmt::join(rest, ", "));
  if (!r.doi.empty()) text += fmt::format(" https://doi.org/{}", r.doi);
  return text;
}

// Letters with accents as LaTeX writes them, which every BibTeX understands.
std::string latex(std::string_view text) {
  static constexpr std::pair<std::string_view, std::string_view> kLetters[] = {
      {"é", "{\\'e}"}, {"è", "{\\`e}"}, {"ö", "{\\\"o}"}, {"ü", "{\\\"u}"}, {"š", "{\\v s}"}, {"ž", "{\\v z}"}};
  std::string result(text);
  for (const auto& [letter, command] : kLetters) {
    for (auto at = result.find(letter); at != std::string::npos; at = result.find(letter, at + command.size())) {
      result.replace(at, letter.size(), command);
    }
  }
  return result;
}

// Names and values of the fields that an entry has.
std::vector<std::pair<std::string_view, std::string_view>> fields_of(const Reference& r) {
  const std::string_view where = r.type == "article" ? "journal" : "booktitle";
  const std::string_view publisher = r.type == "phdthesis" ? "school" : "publisher";
  std::vector<std::pair<std::string_view, std::string_view>> fields{
      {"author", r.author}, {"title", r.title}, {where, r.where},         {"volume", r.volume}, {"number", r.number},
      {"pages", r.pages},   {"year", r.year},   {publisher, r.publisher}, {"doi", r.doi},       {"note", r.note}};
  std::erase_if(fields, [](const auto& field) { return field.second.empty(); });
  return fields;
}

}  // namespace

std::vector<CitedPart> cited_parts(std::span<const MethodFamily> families, std::span<const std::string> names) {
  std::vector<CitedPart> all;
  for (const MethodFamily& family : families) {
    for (const MethodInfo& method : family.methods) {
      all.push_back(cited_part(family.key, method.name, method.help, method.source));
    }
  }
  for (const MeasureInfo& measure : measures()) {
    all.push_back(cited_part("metrics", measure.name, measure.help, measure.source));
  }
  for (const OtherPart& part : kOtherParts) {
    all.push_back(cited_part(part.family, part.name, part.help, part.source));
  }
  if (names.empty()) return all;
  std::vector<CitedPart> chosen;
  const auto is_named = [](std::string_view name) {
    return [name](const CitedPart& part) { return part.name == name; };
  };
  for (const std::string& name : names) {
    if (std::ranges::any_of(chosen, is_named(name))) continue;  // named twice
    const auto before = chosen.size();
    std::ranges::copy_if(all, std::back_inserter(chosen), is_named(name));
    if (chosen.size() > before) continue;
    std::vector<std::string> known;
    for (const CitedPart& part : all) {
      if (std::ranges::find(known, part.name) == known.end()) known.push_back(part.name);
    }
    throw usage_error(fmt::format("no method, measure or test '{}'", name), expected_name(name, known));
  }
  return chosen;
}

std::string citations_text(std::span<const CitedPart> parts, bool by_part) {
  std::string text;
  if (by_part) {
    for (const CitedPart& part : parts) {
      text += fmt::format("{}{}: {}\n", text.empty() ? "" : "\n", part.name, part.help);
      if (part.is_own) text += fmt::format("  {}\n", reference_text(kCladeItself));
      for (const Reference* reference : part.references) text += fmt::format("  {}\n", reference_text(*reference));
    }
    return text;
  }
  for (const Reference* reference : references_of(parts)) {
    std::vector<std::string> names;
    for (const CitedPart& part : parts) {
      const bool cites = reference == &kCladeItself
                             ? part.is_own
                             : std::ranges::find(part.references, reference) != part.references.end();
      if (cites && std::ranges::find(names, part.name) == names.end()) names.push_back(part.name);
    }
    text +=
        fmt::format("{}{}\n  for {}\n", text.empty() ? "" : "\n", reference_text(*reference), fmt::join(names, ", "));
  }
  return text;
}

std::string citations_bibtex(std::span<const CitedPart> parts) {
  std::string text;
  for (const Reference* reference : references_of(parts)) {
    text += fmt::format("{}@{}{{{}", text.empty() ? "" : "\n", reference->type, reference->key);
    for (const auto& [name, value] : fields_of(*reference)) text += fmt::format(",\n  {} = {{{}}}", name, latex(value));
    text += "\n}\n";
  }
  return text;
}

std::string citations_json(std::span<const CitedPart> parts) {
  auto list = json::array();
  for (const CitedPart& part : parts) {
    auto keys = json::array();
    for (const Reference* reference : part.references) keys.push_back(reference->key);
    list.push_back({{"family", part.family},
                    {"name", part.name},
                    {"help", part.help},
                    {"own", part.is_own},
                    {"references", std::move(keys)}});
  }
  auto references = json::array();
  for (const Reference* reference : references_of(parts)) {
    json entry = {{"key", reference->key},
                  {"label", reference->label},
                  {"type", reference->type},
                  {"text", reference_text(*reference)}};
    for (const auto& [name, value] : fields_of(*reference)) entry[name] = without_braces(value);
    references.push_back(std::move(entry));
  }
  return json_text(json{{"parts", std::move(list)}, {"references", std::move(references)}});
}

}  // namespace clade
