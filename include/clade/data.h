#pragma once

// Data sets: what they are (dataset.h), files (io.h), text (text.h), cuts (split.h), generated ones (synthetic.h), what
// they look like (summary.h).

#include <clade/dataset.h>
#include <clade/io.h>
#include <clade/split.h>
#include <clade/summary.h>
#include <clade/synthetic.h>
#include <clade/taxonomy.h>
#include <clade/text.h>
