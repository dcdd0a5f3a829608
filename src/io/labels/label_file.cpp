#include "io/labels/label_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "io/labels/labels.h"
#include "io/lines.h"
#include "io/numpy/npy_content.h"
#include "io/utf8_text.h"

namespace clade {
namespace {

Error wrong_count(const Input& input, Index lines, Index samples) {
  return input_error(input.at_line(std::min(lines, samples + 1)), fmt::format("labels for {} samples", lines),
                     fmt::format("expected {}, as many as there are samples", samples));
}

LabelNames parse_label_lines(const Input& input, std::string_view text, const ReadOptions& options, Index samples) {
  const Index lines = count_lines(text);
  if (lines != samples) throw wrong_count(input, lines, samples);
  LabelNames labels;
  for (Index line = 1; !text.empty(); ++line) {
    if (!add_label_set(labels, take_line(text), options.label_separators, line)) {
      throw input_error(input.at_line(line), "an empty label between separators", "expected a label");
    }
    labels.end_sample();
  }
  return labels;
}

// A line of a table: the number of columns, the last of them, and the one before it.
struct TableLine {
  Index columns = 0;
  std::string_view last;
  std::string_view before_last;
};

TableLine split_table_line(std::string_view line) {
  TableLine result;
  for (;;) {
    const std::size_t tab = line.find('\t');
    result.before_last = result.last;
    result.last = line.substr(0, tab);
    ++result.columns;
    if (tab == std::string_view::npos) return result;
    line.remove_prefix(tab + 1);
  }
}

LabelNames parse_label_table(const Input& input, std::string_view text, const ReadOptions& options, Index samples,
                             std::vector<std::string>& notes) {
  const Index lines = count_lines(text);
  if (lines != samples) throw wrong_count(input, lines, samples);
  LabelNames labels;
  Index columns = 0;
  bool has_split = true;  // the middle of three columns says train or test
  for (Index line = 1; !text.empty(); ++line) {
    const TableLine row = split_table_line(take_line(text));
    if (line == 1) columns = row.columns;
    if (row.columns != columns) {
      throw input_error(input.at_line(line), fmt::format("{} columns", row.columns),
                        fmt::format("expected {}, as in the first line", columns));
    }
    has_split = has_split && columns == 3 && (row.before_last == "train" || row.before_last == "test");
    if (!add_label_set(labels, row.last, options.label_separators, line)) {
      throw input_error(input.at_line(line), "an empty label between separators", "expected a label");
    }
    labels.end_sample();
  }
  notes.push_back(fmt::format("labels from column {} of {}", columns, input.base_name()));
  return has_split ? with_last_letters(std::move(labels), notes) : std::move(labels);
}

std::unordered_map<std::string_view, Index> sample_numbers(const Input& input, std::span<const std::string> names) {
  if (names.empty()) {
    throw input_error(input.at_line(0), "class lists need samples with names, and these have none",
                      "expected labels in the order of the samples");
  }
  std::unordered_map<std::string_view, Index> numbers;
  numbers.reserve(names.size());
  for (const std::string& name : names) {
    if (!numbers.emplace(name, static_cast<Index>(numbers.size())).second) {
      throw input_error(input.at_line(0), fmt::format("class lists need unique sample names; '{}' occurs twice", name));
    }
  }
  return numbers;
}

// Classes with their samples, as in the file; sort() turns this into samples with their classes.
class ClassLists {
 public:
  ClassLists(const Input& input, std::span<const std::string> sample_names)
      : input_(input), numbers_(sample_numbers(input, sample_names)) {}

  void add_line(std::string_view text, Index line) {
    const std::size_t cut = text.find_first_of(",:");
    const std::string_view name = trim(text.substr(0, cut));
    if (cut == std::string_view::npos || name.empty()) {
      throw input_error(input_.at_line(line), "no class with its samples", "expected class, sample, sample, ...");
    }
    const std::int32_t label = labels_.intern(name, line);
    for (std::string_view rest = text.substr(cut + 1); !rest.empty();) {
      const std::size_t comma = rest.find(',');
      const std::string_view sample = trim(rest.substr(0, comma));
      rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 1);
      if (sample.empty()) continue;
      ++mentions_;
      const auto found = numbers_.find(sample);
      if (found != numbers_.end()) cells_.emplace_back(found->second, label);
    }
  }

  LabelNames sort(Index samples, std::vector<std::string>& notes) {
    if (cells_.empty()) {
      throw input_error(input_.at_line(0), fmt::format("none of the {} samples it names is known", mentions_),
                        "expected names of samples of the data");
    }
    if (const Index unknown = mentions_ - static_cast<Index>(cells_.size()); unknown > 0) {
      notes.push_back(fmt::format("{}: {} mentions of samples that are not in the data", input_.base_name(), unknown));
    }
    std::sort(cells_.begin(), cells_.end());
    const auto repeats = std::unique(cells_.begin(), cells_.end());
    if (repeats != cells_.end()) {
      notes.push_back(fmt::format("{}: {} repeated mentions", input_.base_name(), cells_.end() - repeats));
    }
    cells_.erase(repeats, cells_.end());
    Index unlabelled = 0;
    std::size_t at = 0;
    for (Index sample = 0; sample < samples; ++sample) {
      if (at == cells_.size() || cells_[at].first != sample) ++unlabelled;
      for (; at < cells_.size() && cells_[at].first == sample; ++at) labels_.add(cells_[at].second);
      labels_.end_sample();
    }
    if (unlabelled > 0) notes.push_back(fmt::format("{}: {} samples in no class", input_.base_name(), unlabelled));
    return std::move(labels_);
  }

 private:
  const Input& input_;
  std::unordered_map<std::string_view, Index> numbers_;
  LabelNames labels_;
  std::vector<std::pair<Index, std::int32_t>> cells_;
  Index mentions_ = 0;
};

LabelNames parse_class_lists(const Input& input, std::string_view text, std::span<const std::string> sample_names,
                             Index samples, std::vector<std::string>& notes) {
  ClassLists lists(input, sample_names);
  for (Index line = 1; !text.empty(); ++line) {
    const std::string_view content = take_line(text);
    if (!trim(content).empty()) lists.add_line(content, line);
  }
  return lists.sort(samples, notes);
}

}  // namespace

LabelNames parse_labels(const Input& input, const ReadOptions& options, std::span<const std::string> sample_names,
                        Index samples, std::vector<std::string>& notes, Context& /*ctx*/) {
  if (is_npy(input.bytes())) return labels_from_array(npy_array(input.bytes(), {input.name(), {}}), samples, options);
  const Utf8Text utf8(input, options.encoding);
  const std::string_view text = utf8.text();
  if (input.base_name().ends_with(".clist")) return parse_class_lists(input, text, sample_names, samples, notes);
  const bool tabs_separate_labels = options.label_separators.find('\t') != std::string::npos;
  const bool table = text.substr(0, text.find('\n')).find('\t') != std::string_view::npos && !tabs_separate_labels;
  return table ? parse_label_table(input, text, options, samples, notes)
               : parse_label_lines(input, text, options, samples);
}

LabelNames read_label_file(const std::string& path, const ReadOptions& options,
                           std::span<const std::string> sample_names, Index samples, std::vector<std::string>& notes,
                           Context& ctx) {
  return parse_labels(Input::open(path, ctx), options, sample_names, samples, notes, ctx);
}

}  // namespace clade
