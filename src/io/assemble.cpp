#include "io/assemble.h"

#include "io/labels/labels.h"

namespace clade {

Dataset assemble(ParsedData parsed, const std::string& name, const std::optional<Taxonomy>& given,
                 const ReadOptions& options, std::vector<std::string>& notes) {
  ReadOptions label_options = options;
  if (parsed.labels_are_names && !given) label_options.label_paths = LabelPaths::kNo;
  if (!parsed.path_separator.empty()) {
    label_options.path_separator = parsed.path_separator;
    label_options.label_paths = LabelPaths::kYes;
  }
  const Taxonomy taxonomy = given              ? *given
                            : parsed.hierarchy ? parsed.hierarchy->build()
                                               : implied_taxonomy(parsed.labels.names(), label_options, name);
  const std::string& labels_file = parsed.labels_file.empty() ? name : parsed.labels_file;
  LabelSets labels = resolve_labels(parsed.labels, taxonomy, label_options, labels_file, notes);
  return Dataset({.features = std::move(parsed.features),
                  .labels = std::move(labels),
                  .taxonomy = taxonomy,
                  .feature_names = std::move(parsed.feature_names),
                  .sample_names = std::move(parsed.sample_names),
                  .vectorizer = std::move(parsed.vectorizer),
                  .words = std::move(parsed.words),
                  .replacement = std::move(parsed.replacement)});
}

}  // namespace clade
