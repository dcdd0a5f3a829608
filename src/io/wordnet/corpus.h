#pragma once

#include <clade/wordnet.h>

#include "io/wordnet/wordnet.h"

namespace clade {

// The corpus of these nouns; `options.folder` does not count.
WordNetCorpus corpus_of(const WordNetPart& nouns, const WordNetCorpusOptions& options, Context& ctx);

}  // namespace clade
