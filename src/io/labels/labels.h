#pragma once

#include <clade/io.h>
#include <clade/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "io/labels/path_separator.h"
#include "io/lines.h"
#include "io/parsed.h"

namespace clade {

// What separates the parts of the labels, by the options or recognised (path_separator.h); empty if they are no paths.
PathSeparator label_separator(const std::vector<std::string>& names, const ReadOptions& options,
                              std::vector<std::string>& notes);

// The labels as the nodes of their paths are named. Throws Error with the line of a label that has an empty part.
LabelNames as_paths(const LabelNames& labels, const PathSeparator& separator, const std::string& file,
                    std::vector<std::string>& notes);
// Labels of data for a model, whose classes are `known`: those that mean a class are spelt as it is, whatever separates
// their parts, and others are joined like its names. Nothing changes if the classes are not named by paths.
LabelNames as_known_paths(const LabelNames& labels, const Taxonomy& known, const ReadOptions& options);

// Notes labels that look like the levels of one path: nearly every sample has several, and each of them always stands
// in the same place and behind the same one. They may be several labels all the same, so nothing is changed.
void note_levels(const LabelNames& labels, std::vector<std::string>& notes);

// Of each sample, the first label.
LabelNames with_first_labels(const LabelNames& labels, std::vector<std::string>& notes);

// The taxonomy that label names alone imply: a tree of paths if any is a path, else a root above one leaf per name, in
// numerical order if all names are whole numbers, else in byte order. `names` are as as_paths() gives them.
Taxonomy path_taxonomy(const std::vector<std::string>& names, const PathSeparator& separator, const std::string& file);
// The same of names as they would be read from a file.
Taxonomy implied_taxonomy(const std::vector<std::string>& names);

// Turns label names into nodes of `taxonomy`: by name, or, if there is no such name, by the last part of a path whose
// other parts lie above it, with any separator unless the options name one. Labels that are ancestors of another label
// of their sample are dropped, because the more specific one implies them; repeats are dropped too; `notes` counts
// both. Throws Error with the line of the first label that is not in the taxonomy.
LabelSets resolve_labels(const LabelNames& labels, const Taxonomy& taxonomy, const ReadOptions& options,
                         const std::string& file, std::vector<std::string>& notes);

// Keeps those of a sample's labels (ascending) that no other label implies; returns how many it dropped.
Index keep_most_specific(std::vector<NodeId>& labels, const Taxonomy& taxonomy);

// Restores the last letter of labels that were cut short. Exports that cut a column at a fixed width leave a few
// `studen` among many `student`. A label counts as cut short only if exactly one other label is it plus one letter,
// that one is not cut short itself, and it is at least twenty times as frequent: classes deliberately named like that
// (A and AB) rarely differ so much. `notes` counts what was changed.
LabelNames with_last_letters(LabelNames labels, std::vector<std::string>& notes);

// Adds the labels of one sample, separated by any byte of `separators` and trimmed; a blank text has none. `line` is
// kept for messages. Returns false if there is nothing between two separators.
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
