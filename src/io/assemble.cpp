#include "io/assemble.h"

#include "io/labels/labels.h"

namespace clade {

namespace {

// The taxonomy that the labels imply; they are renamed to its nodes.
Taxonomy implied_by(LabelNames& labels, const ReadOptions& options, const std::string& file,
                    std::vector<std::string>& notes) {
  if (options.known_classes && options.label_paths != LabelPaths::kNo) {
    labels = as_known_paths(labels, *options.known_classes, options);
    const std::string join = path_separator_of(*options.known_classes);
    if (!join.empty()) return path_taxonomy(labels.names(), PathSeparator::given(join), file);
  }
  const PathSeparator separator = label_separator(labels.names(), options, notes);
  if (!separator.empty()) labels = as_paths(labels, separator, file, notes);
  if (separator.empty() && options.label_paths != LabelPaths::kNo) note_levels(labels, notes);
  return path_taxonomy(labels.names(), separator, file);
}

LabelSets of_samples(const LabelSets& all, Index first, Index count) {
  LabelSets some;
  for (Index s = first; s < first + count; ++s) {
    const auto begin = all.nodes.begin() + all.offsets[static_cast<std::size_t>(s)];
    const auto end = all.nodes.begin() + all.offsets[static_cast<std::size_t>(s) + 1];
    some.nodes.insert(some.nodes.end(), begin, end);
    some.offsets.push_back(std::ssize(some.nodes));
  }
  return some;
}

}  // namespace

Dataset assemble(ParsedData parsed, const std::string& name, const std::optional<Taxonomy>& given,
                 const ReadOptions& options, std::vector<std::string>& notes) {
  ReadOptions label_options = options;
  if (parsed.labels_are_names && !given) label_options.label_paths = LabelPaths::kNo;
  if (!parsed.path_separator.empty()) {
    label_options.path_separator = parsed.path_separator;
    label_options.label_paths = LabelPaths::kYes;
  }
  if (options.first_label) parsed.labels = with_first_labels(parsed.labels, notes);
  const std::string& labels_file = parsed.labels_file.empty() ? name : parsed.labels_file;
  const Taxonomy taxonomy = given              ? *given
                            : parsed.hierarchy ? parsed.hierarchy->build()
                                               : implied_by(parsed.labels, label_options, labels_file, notes);
  LabelSets labels = resolve_labels(parsed.labels, taxonomy, label_options, labels_file, notes);
  const Index rows = row_count(parsed.features);
  if (rows < labels.samples()) labels = of_samples(labels, parsed.first_sample, rows);
  return Dataset({.features = std::move(parsed.features),
                  .labels = std::move(labels),
                  .taxonomy = taxonomy,
                  .feature_names = std::move(parsed.feature_names),
                  .sample_names = std::move(parsed.sample_names),
                  .row_numbers = std::move(parsed.row_numbers),
                  .vectorizer = std::move(parsed.vectorizer),
                  .words = std::move(parsed.words),
                  .replacement = std::move(parsed.replacement)});
}

}  // namespace clade
