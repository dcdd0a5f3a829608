#pragma once

#include <clade/context.h>
#include <clade/dataset.h>
#include <clade/parameters.h>

namespace clade {

// Multi-label data over a perfect tree whose nearby classes are alike (Cai, thesis, 7.1.1).
//
// Every node z below the root at depth d has a weight vector w_z with normal components of variance decay^(d - 1); a
// class's vector is the sum along its path, so siblings share most of it. A sample x is standard normal; its labels are
// the classes y with <W_y, x> > 0. It is kept if it has at least one label and fewer than sqrt(classes).
struct SyntheticOptions {
  int depth = 3;   // levels below the root
  int fanout = 3;  // children per node
  Index features = 20;
  Index samples = 200;
  double decay = 0.5;         // variance of a level relative to the one above
  bool single_label = false;  // keep only samples with exactly one label
};

void describe(ParameterTable& v, SyntheticOptions& o);

// Sample s depends on (seed, s) alone. Throws Error (kInput) when samples with few enough labels are too rare to find.
Dataset synthetic_data(const SyntheticOptions& options, Context& ctx);

}  // namespace clade
