#pragma once

// Data sets: their type (dataset.h), files (io.h, format_names.h), text (text.h), splits (split.h), generated data
// (synthetic.h), a corpus out of WordNet (wordnet.h) and summaries (summary.h).

#include <clade/dataset.h>
#include <clade/format_names.h>
#include <clade/io.h>
#include <clade/split.h>
#include <clade/summary.h>
#include <clade/synthetic.h>
#include <clade/taxonomy.h>
#include <clade/text.h>
#include <clade/wordnet.h>
