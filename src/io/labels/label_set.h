#pragma once

#include <clade/types.h>

#include <string_view>

#include "io/lines.h"
#include "io/parsed.h"

namespace clade {

// Adds the labels of one sample, separated by any byte of `separators` and trimmed; a blank text has none. `line` is
// kept for messages. Returns false where nothing stands between two separators.
inline bool add_label_set(LabelNames& labels, std::string_view text, std::string_view separators, Index line) {
  if (trim(text).empty()) return true;
  for (;;) {
    const std::size_t cut = text.find_first_of(separators);
    const std::string_view label = trim(text.substr(0, cut));
    if (label.empty()) return false;
    labels.add(label, line);
    if (cut == std::string_view::npos) return true;
    text.remove_prefix(cut + 1);
  }
}

}  // namespace clade
