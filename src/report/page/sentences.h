#pragma once

#include <clade/evaluate.h>
#include <clade/model.h>

#include <string>
#include <vector>

#include "report/page/early_stopping.h"
#include "report/page/mistakes.h"

namespace clade {

// The main results in plain English, one sentence each.
std::vector<std::string> plain_sentences(const Evaluation& evaluation, const Taxonomy& taxonomy,
                                         const MistakeSummary& mistakes, const std::vector<EarlyStop>& stops);

}  // namespace clade
