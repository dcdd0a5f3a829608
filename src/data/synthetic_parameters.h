#pragma once

#include <clade/synthetic.h>

#include "core/parameters.h"

namespace clade {

template <class V>
void describe(V& v, SyntheticOptions& o) {
  v("depth", o.depth, between(1, 30), "levels of classes below the root");
  v("fanout", o.fanout, between(1, 100000), "children of every inner node");
  v("features", o.features, at_least(1), "number of features");
  v("samples", o.samples, at_least(1), "number of samples");
  v("decay", o.decay, between(0, 1), "variance of a level's weights relative to the level above");
  v("single-label", o.single_label, "keep only samples with exactly one label");
}

}  // namespace clade
