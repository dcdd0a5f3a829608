#pragma once

#include <clade/io.h>

#include <optional>
#include <string>
#include <vector>

#include "io/input.h"

namespace clade {

// Names of terms and documents in files beside a matrix STEM.mtx: STEM.terms and STEM.docs, one name per line.
struct TermsAndDocuments {
  std::vector<std::string> terms;
  std::vector<std::string> documents;
};

// Nothing unless both files are there.
std::optional<TermsAndDocuments> read_terms_and_documents(const Input& matrix, const ReadOptions& options,
                                                          Context& ctx);

// A class list beside the matrix: a .clist file whose name up to its first dot begins the matrix file's name. Where
// there are several, one with "disjoint" in its name comes first, then the first in alphabetical order.
std::optional<std::string> find_class_list(const Input& matrix);

}  // namespace clade
