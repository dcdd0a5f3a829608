#pragma once

#include <clade/context.h>
#include <clade/dataset.h>

#include <functional>
#include <span>

#include "classify/model_body.h"

namespace clade {

// Calls visit(sample, scores) with the scores of all classes (scored_classes()) of a path or joint model, in their
// order, for the samples from begin to end: each sample once, in any order, from several threads.
void for_each_class_scores(const ModelBody& model, const Dataset& data, Index begin, Index end, Context& ctx,
                           const std::function<void(Index, std::span<const double>)>& visit);

}  // namespace clade
