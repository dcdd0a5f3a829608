#pragma once

#include <clade/dataset.h>
#include <clade/error.h>
#include <clade/taxonomy.h>
#include <clade/text.h>
#include <clade/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace clade {

// Labels as a file states them: names, interned in order of first appearance, and a list of them per sample. To parse
// in parallel, fill one per chunk and append() them in chunk order: the result is that of one pass.
class LabelNames {
 public:
  // The number of a name. The `line` of its first mention is kept for messages.
  std::int32_t intern(std::string_view name, Index line = 0);
  void add(std::int32_t label) { labels_.push_back(label); }
  void add(std::string_view name, Index line = 0) { add(intern(name, line)); }
  void end_sample() { offsets_.push_back(static_cast<Index>(labels_.size())); }
  // Makes room for this many more; never required.
  void reserve(Index samples, Index labels);
  // Appends the samples of `other`, whose lines are counted from this one.
  void append(const LabelNames& other, Index first_line = 0);

  Index samples() const { return static_cast<Index>(offsets_.size()) - 1; }
  Index total() const { return static_cast<Index>(labels_.size()); }  // labels of all samples together
  const std::vector<std::string>& names() const { return names_; }
  Index first_line(std::int32_t label) const { return first_line_[static_cast<std::size_t>(label)]; }
  std::span<const std::int32_t> of(Index sample) const {
    const auto s = static_cast<std::size_t>(sample);
    return {labels_.data() + offsets_[s], static_cast<std::size_t>(offsets_[s + 1] - offsets_[s])};
  }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };
  std::vector<std::string> names_;
  std::vector<Index> first_line_;
  std::unordered_map<std::string, std::int32_t, Hash, std::equal_to<>> number_;
  std::vector<Index> offsets_{0};
  std::vector<std::int32_t> labels_;
};

// What the reader of one format hands over. Missing values are NaN in `features` (explicit in sparse rows); infinities
// and unreadable numbers are the reader's errors. The remaining steps (label names to taxonomy nodes, the policy for
// missing values, storage) are the same for all formats and live in read.cpp.
struct ParsedData {
  FeatureMatrix features;
  LabelNames labels;  // samples() equals the rows of `features`, or is more (first_sample); a sample may have no label
  Index first_sample = 0;                    // that has a row here, if labels are those of other samples, too
  std::string labels_file;                   // the file with the labels, if not the data file; for messages
  std::vector<std::string> feature_names;    // empty: none
  std::vector<std::string> sample_names;     // empty: none
  std::vector<Index> row_numbers;            // of the rows in the file, if some of it were left out; else empty
  std::optional<TaxonomyBuilder> hierarchy;  // what the file itself says about the classes
  bool labels_are_names = false;             // labels are node names whatever they look like (never split as paths)
  std::string path_separator;                // of labels that are paths, if the reader knows it; empty: recognised
  std::shared_ptr<const TextVectorizer> vectorizer;
  std::shared_ptr<const WordCollection> words;     // null: not kept
  std::shared_ptr<const Replacement> replacement;  // of missing values that were replaced

  Index missing_values = 0;
  Index bad_rows = 0;              // that were left out
  Where first_missing;             // where the first of them is
  std::vector<std::string> notes;  // what was repaired or skipped, with counts
};

}  // namespace clade
