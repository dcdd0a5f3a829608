#pragma once

#include <clade/context.h>
#include <clade/dataset.h>
#include <clade/parameters.h>
#include <clade/select.h>

#include <functional>

#include "select/selector.h"

namespace clade {

inline constexpr Choice<SelectTune> kTuneWords[] = {{SelectTune::kNone, "none"},
                                                    {SelectTune::kAuto, "auto"},
                                                    {SelectTune::kStability, "stability"},
                                                    {SelectTune::kReconstruction, "reconstruction"}};

// The values to try: those of `grid`, or the method's own for parameters that the options do not give. Throws Error
// (kInput) if the text is no grid, names what the method does not have, or leaves nothing to choose.
Selector::Grid grid_of(const SelectOptions& options, const Selector& selector);

// Chooses the parameters of a selector without labels, for its best `top` features, or without `top` a tenth of all, 10
// to 200: ranks the features with every setting of the grid and takes the one whose features are best by the criterion.
// `data` are scaled already. Throws Error (kInput) if no setting is of use.
using RankFeatures = std::function<FeatureRanking(const Dataset&, const SelectOptions&, Context&)>;
SelectTuning tune_parameters(const Dataset& data, const SelectOptions& options, const RankFeatures& rank, Context& ctx);

}  // namespace clade
