#pragma once

#include <clade/methods.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/parameter_tables.h"

namespace clade {

// A publication. What is not known for certain is empty.
struct Reference {
  std::string_view label;   // as sources of methods name it: "Zhao et al. 2019"
  std::string_view key;     // of BibTeX
  std::string_view type;    // of BibTeX: article, inproceedings, incollection, book, phdthesis, misc
  std::string_view author;  // "Zhao, Hong and Hu, Qinghua"; a name in braces is no person's
  std::string_view title;   // braces keep the capitals of what they hold
  std::string_view where;   // journal, proceedings, or the book that it is part of
  std::string_view volume;
  std::string_view number;
  std::string_view pages;      // "2833--2846"
  std::string_view publisher;  // of a thesis: the school
  std::string_view year;
  std::string_view doi;
  std::string_view note;
};

// All publications, in the order of their labels.
std::span<const Reference> bibliography();

// Something that has sources: a method, a measure, a test, ...
struct CitedPart {
  std::string family;  // "selectors", as in JSON
  std::string name;
  std::string help;
  std::vector<const Reference*> references;
  bool is_own = false;  // Clade's own, perhaps beside what it builds on
};

// Methods and measures with the publications that their sources name, and the parts that no table of methods lists:
// tests, calibration, kernels, solvers. If there are `names`, only these. Throws Error (kInput) for a name that nothing
// has, and Error (kInternal) for a source that is not in the bibliography.
std::vector<CitedPart> cited_parts(std::span<const MethodFamily> families, std::span<const std::string> names);

// Every part with its publications; or, of all parts together, every publication with its parts.
std::string citations_text(std::span<const CitedPart> parts, bool by_part);
// One entry for each publication of the parts, and one for Clade if a part is its own.
std::string citations_bibtex(std::span<const CitedPart> parts);
std::string citations_json(std::span<const CitedPart> parts);

}  // namespace clade
