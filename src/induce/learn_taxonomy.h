#pragma once

#include <clade/context.h>
#include <clade/dataset.h>
#include <clade/induce.h>

#include <map>
#include <string>

#include "core/parameters.h"

namespace clade {

enum class SampleScale {
  kNone,
  kUnit,  // every sample to length 1; one of zeros stays
};

struct LearnTaxonomyOptions {
  std::string method = "agglomerative";
  std::map<std::string, std::string> parameters;  // of the method, by name
  SampleScale scale = SampleScale::kNone;
  std::string memory;  // that the work may take beside the data, such as 4G; empty: most of it
};

inline constexpr Choice<SampleScale> kSampleScaleWords[] = {{SampleScale::kNone, "none"}, {SampleScale::kUnit, "unit"}};

template <class V>
void describe(V& v, LearnTaxonomyOptions& o) {
  v("scale", o.scale, kSampleScaleWords, "unit: bring every sample to length 1 first");
}

// Throws Error (kInput) for what is wrong with the method, its parameters or the memory, whatever the data.
void check_request(const LearnTaxonomyOptions& options);

// Learns a hierarchy over the classes of a data set: the labels that its samples have, inner nodes included. A
// hierarchy that the data has already plays no part, and the notes say so. Leaves of it without samples are kept, below
// the root.
LearnedTaxonomy learn_taxonomy(const Dataset& data, const LearnTaxonomyOptions& options, Context& ctx);

}  // namespace clade
