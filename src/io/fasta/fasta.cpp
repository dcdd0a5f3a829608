#include "io/fasta/fasta.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "data/text/word_counts.h"
#include "io/labels/label_file.h"
#include "io/lines.h"
#include "io/text/text_features.h"

namespace clade {
namespace {

constexpr std::string_view kBlanks = " \t";
constexpr std::string_view kLabelFields[] = {"label", "labels", "class"};

// The next word of `rest`, which moves past it; empty at the end.
std::string_view take_word(std::string_view& rest) {
  const std::size_t begin = std::min(rest.find_first_not_of(kBlanks), rest.size());
  const std::size_t end = std::min(rest.find_first_of(kBlanks, begin), rest.size());
  const std::string_view word = rest.substr(begin, end - begin);
  rest.remove_prefix(end);
  return word;
}

// Where a header line has its labels: in the word `field=...`, or in the word with a given number.
class LabelPlace {
 public:
  explicit LabelPlace(const std::string& column) {
    if (column.empty()) return;
    if (column == "none") {
      has_labels_ = false;
      return;
    }
    Index number = 0;
    const char* const end = column.data() + column.size();
    const auto [at, error] = std::from_chars(column.data(), end, number);
    if (error == std::errc() && at == end) {
      if (number < 2) {
        throw usage_error("`label-column`: '" + column + "'", "expected 2 or more: the first word is the name");
      }
      number_ = number;
    } else {
      field_ = column;
    }
  }

  // The labels of a header line, not yet split; nothing if it has none.
  std::optional<std::string_view> find(std::string_view header) const {
    if (!has_labels_) return std::nullopt;
    for (Index number = 1;; ++number) {
      const std::string_view word = take_word(header);
      if (word.empty()) return std::nullopt;
      if (number == number_) return word;
      if (number_ == 0 && number > 1) {
        if (const auto value = value_of(word)) return value;
      }
    }
  }

 private:
  static std::optional<std::string_view> after(std::string_view word, std::string_view field) {
    if (!word.starts_with(field) || word.substr(field.size(), 1) != "=") return std::nullopt;
    return word.substr(field.size() + 1);
  }
  std::optional<std::string_view> value_of(std::string_view word) const {
    if (!field_.empty()) return after(word, field_);
    for (const std::string_view field : kLabelFields) {
      if (const auto value = after(word, field)) return value;
    }
    return std::nullopt;
  }

  bool has_labels_ = true;
  Index number_ = 0;  // of a word, from 1; 0: a field
  std::string field_;
};

// Reads a file record by record.
class FastaReader {
 public:
  FastaReader(const Input& input, const ReadOptions& options, const TextOptions& text)
      : input_(input), options_(options), place_(options.label_column), counter_(text), decoder_(options.encoding) {}

  void read(ParsedData& data) {
    std::string_view rest = without_byte_order_mark(input_.bytes());
    for (Index line = 1; !rest.empty(); ++line) {
      const std::string_view bytes = take_line(rest);
      if (bytes.starts_with('>')) {
        end_sequence();
        begin_sequence(bytes.substr(1), line, data);
      } else if (bytes.starts_with(';')) {
        ++comments_;
      } else if (first_line_ > 0) {
        sequence_ += bytes;
        check_size();
      } else if (!trim(bytes).empty()) {
        throw input_error(input_.at_line(line), "text before the first sequence: '" + shown(bytes) + "'",
                          "expected a line '>NAME' before it");
      }
    }
    end_sequence();
    add_notes(data.notes);
  }

  WordCounts take_counts() { return std::move(counter_).take(); }

 private:
  void begin_sequence(std::string_view bytes, Index line, ParsedData& data) {
    first_line_ = line;
    const std::string header(headers_.decode(bytes, input_.at_line(line)));
    std::string_view rest = header;
    const std::string_view name = take_word(rest);
    if (name.empty()) throw input_error(input_.at_line(line), "a sequence without a name", "expected '>NAME'");
    data.sample_names.emplace_back(name);
    const auto labels = options_.labels_file.empty() ? place_.find(header) : std::nullopt;
    Index found = 0;
    if (labels) {
      for (std::size_t begin = 0; begin <= labels->size();) {
        const std::size_t end = std::min(labels->find_first_of(options_.label_separators, begin), labels->size());
        if (end > begin) {
          data.labels.add(labels->substr(begin, end - begin), line);
          ++found;
        }
        begin = end + 1;
      }
    }
    data.labels.end_sample();
    if (found == 0) ++unlabelled_;
  }

  void end_sequence() {
    if (first_line_ == 0) return;
    counter_.add_text(decoder_.decode(sequence_, input_.at_line(first_line_)));
    counter_.end_document();
    sequence_.clear();
  }

  void check_size() const {
    if (sequence_.size() <= WordCounter::kLargestDocument) return;
    throw input_error(input_.at_line(first_line_), "a sequence over 1 GiB", "expected shorter ones");
  }

  void add_notes(std::vector<std::string>& notes) const {
    DocumentDecoder::Tally tally = decoder_.tally();
    tally.add(headers_.tally());
    tally.note(notes);
    if (comments_ > 0) notes.push_back(counted(comments_, "comment line") + " passed over");
    if (unlabelled_ > 0 && options_.labels_file.empty()) {
      notes.push_back(counted(unlabelled_, "sequence") + " without a label");
    }
  }

  const Input& input_;
  const ReadOptions& options_;
  LabelPlace place_;
  WordCounter counter_;
  DocumentDecoder decoder_;
  DocumentDecoder headers_{options_.encoding};
  std::string sequence_;
  Index first_line_ = 0;  // of the current sequence
  Index comments_ = 0;
  Index unlabelled_ = 0;
};

}  // namespace

ParsedData read_fasta(const Input& input, const ReadOptions& options, Context& ctx) {
  ReadOptions of_sequences = options;
  of_sequences.text.sequences = true;
  TextFeatures features(of_sequences, ctx);
  ParsedData data;
  FastaReader reader(input, of_sequences, features.text_options());
  reader.read(data);
  std::vector<WordCounts> counts(1);
  counts[0] = reader.take_counts();
  if (data.sample_names.empty()) {
    throw input_error({.file = input.name()}, "no sequence", "expected lines '>NAME' with symbols below them");
  }
  features.finish(std::move(counts), {}, input.name(), data, ctx);
  if (!options.labels_file.empty()) {
    data.labels =
        read_label_file(options.labels_file, options, data.sample_names, row_count(data.features), data.notes, ctx);
  }
  return data;
}

}  // namespace clade
