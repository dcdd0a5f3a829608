#include "io/joined_files.h"

#include <fmt/format.h>

#include <algorithm>

#include "io/arff/arff_header.h"
#include "io/choose_format.h"
#include "io/csv/csv_layout.h"
#include "io/delimited.h"
#include "io/json_array.h"
#include "io/lines.h"

namespace clade {
namespace {

// What one file adds to the whole: its text without what only the first file may have.
struct Rows {
  std::string_view text;
  Index line = 1;  // of its first byte
};

Error other_column(const Input& input, std::size_t number, std::string_view name, std::string_view wanted,
                   const Input& first) {
  return input_error(
      {.file = input.name()},
      fmt::format("column {} is {}, and in {} it is {}", number, quoted_name(name), first.name(), quoted_name(wanted)),
      "expected the same columns in the same order");
}

Error other_width(const Input& input, std::size_t columns, std::size_t wanted, const Input& first) {
  return input_error({.file = input.name()}, fmt::format("{} columns, and {} has {}", columns, first.name(), wanted),
                     "expected the same columns in the same order");
}

class TableJoiner {
 public:
  TableJoiner(const DataFormat& format, const ReadOptions& options)
      : delimiter_(format.name == "tsv" ? '\t' : '\0'), options_(options) {}

  Rows rows_of(const Input& input, const Input* first) {
    std::vector<std::string> ignored;
    const DelimitedText text = DelimitedText::of(input, options_, "expected a header row or rows", ignored);
    const CsvLayout layout = read_csv_layout(text, options_, delimiter_, ignored);
    if (first == nullptr) {
      layout_ = layout;
      return {text.text, 1};
    }
    require_same(layout, input, *first);
    return {text.text.substr(layout.data_begin), layout.data_line};
  }

 private:
  void require_same(const CsvLayout& layout, const Input& input, const Input& first) const {
    if (layout.delimiter != layout_.delimiter) {
      throw input_error({.file = input.name()}, fmt::format("another delimiter than {}", first.name()),
                        "expected files of one kind");
    }
    if (layout.header != layout_.header) {
      throw input_error({.file = input.name()},
                        fmt::format("{} header row, unlike {}", layout.header ? "a" : "no", first.name()),
                        "expected one in both, or in none; `header` says which it is");
    }
    const auto columns = static_cast<std::size_t>(layout.columns);
    const auto wanted = static_cast<std::size_t>(layout_.columns);
    for (std::size_t k = 0; layout.header && k < std::min(columns, wanted); ++k) {
      if (layout.names[k] != layout_.names[k])
        throw other_column(input, k + 1, layout.names[k], layout_.names[k], first);
    }
    if (columns != wanted) throw other_width(input, columns, wanted, first);
  }

  char delimiter_;
  const ReadOptions& options_;
  CsvLayout layout_;
};

class ArffJoiner {
 public:
  explicit ArffJoiner(const ReadOptions& options) : options_(options) {}

  Rows rows_of(const Input& input, const Input* first) {
    std::vector<std::string> ignored;
    const DelimitedText text = DelimitedText::of(input, options_, "expected @relation, @attribute and @data", ignored);
    ArffHeader header = read_arff_header(text, options_, ignored);
    if (first == nullptr) {
      attributes_ = std::move(header.attributes);
      return {text.text, 1};
    }
    for (std::size_t k = 0; k < std::min(header.attributes.size(), attributes_.size()); ++k) {
      require_same(header.attributes[k], attributes_[k], k + 1, input, *first);
    }
    if (header.attributes.size() != attributes_.size()) {
      throw other_width(input, header.attributes.size(), attributes_.size(), *first);
    }
    return {text.text.substr(header.data_begin), header.data_line};
  }

 private:
  static void require_same(const ArffAttribute& own, const ArffAttribute& wanted, std::size_t number,
                           const Input& input, const Input& first) {
    if (own.name != wanted.name) throw other_column(input, number, own.name, wanted.name, first);
    if (own.kind == wanted.kind && own.values == wanted.values && trim(own.entries) == trim(wanted.entries) &&
        own.form == wanted.form) {
      return;
    }
    const bool is_hierarchy = own.kind == ArffAttribute::Kind::kHierarchical && own.kind == wanted.kind;
    throw input_error(input.at_line(own.line),
                      fmt::format("attribute {} has {} than in {}", quoted_name(own.name),
                                  is_hierarchy ? "another hierarchy" : "another type or other values", first.name()),
                      "expected the same in both files");
  }

  const ReadOptions& options_;
  std::vector<ArffAttribute> attributes_;
};

// Arrays are opened by the first file and closed by the last, so that lines stay where they are.
class JsonJoiner {
 public:
  Rows rows_of(const Input& input, const Input* first) {
    const std::string_view text = without_byte_order_mark(input.bytes());
    const bool is_array = is_json_array(text);
    if (first == nullptr) is_array_ = is_array;
    if (is_array != is_array_) {
      throw input_error({.file = input.name()},
                        fmt::format("{} JSON array, unlike {}", is_array ? "a" : "no", first->name()),
                        "expected arrays, or an object per line in both");
    }
    if (!is_array_) return {text, 1};
    json_array_elements(input);  // throws where it is none
    const std::size_t begin = text.find('[') + 1;
    return {text.substr(begin, text.rfind(']') - begin), input.line_of(begin)};
  }
  bool is_array() const { return is_array_; }

 private:
  bool is_array_ = false;
};

// What a file adds by its format. The first file comes first.
class Joiner {
 public:
  Joiner(const DataFormat& format, const ReadOptions& options)
      : format_(format.name), tables_(format, options), arff_(options) {}

  Rows rows_of(const Input& input, const Input* first) {
    if (format_ == "csv" || format_ == "tsv") return tables_.rows_of(input, first);
    if (format_ == "arff") return arff_.rows_of(input, first);
    if (format_ == "json-lines") return json_.rows_of(input, first);
    return {without_byte_order_mark(input.bytes()), 1};
  }
  bool is_array() const { return json_.is_array(); }

 private:
  std::string_view format_;
  TableJoiner tables_;
  ArffJoiner arff_;
  JsonJoiner json_;
};

// Adds files one below the other and notes where their lines went.
class Whole {
 public:
  void add(const Input& input, const Rows& rows, std::string_view between) {
    if (!files_.empty()) text_ += between;
    files_.push_back({.file = input.name(), .first_line = lines_ + 1, .own_line = rows.line});
    text_ += rows.text;
    if (!text_.ends_with('\n')) text_ += '\n';
    lines_ += count_lines(rows.text);
  }
  void frame(std::string_view begin, std::string_view end) { text_ = std::string(begin) + text_ + std::string(end); }

  std::string take_text() { return std::move(text_); }
  std::vector<FileLines> take_files() { return std::move(files_); }

 private:
  std::string text_;
  Index lines_ = 0;
  std::vector<FileLines> files_;
};

}  // namespace

bool is_of_lines(const DataFormat& format) {
  constexpr std::string_view kNames[] = {"csv", "tsv", "arff", "libsvm", "json-lines", "text-lines", "fasta"};
  return std::ranges::find(kNames, format.name) != std::end(kNames);
}

Where origin(const std::vector<FileLines>& files, const std::string& name, const Where& where) {
  if (where.file != name) return where;
  if (where.line == 0) return {.file = name};
  const FileLines* own = &files.front();
  for (const FileLines& next : files) {
    if (next.first_line <= where.line) own = &next;
  }
  return {.file = own->file, .line = where.line - own->first_line + own->own_line, .column = where.column};
}

void require_joinable(const Input& first, const Input& other, const DataFormat& format, const ReadOptions& options) {
  Joiner joiner(format, options);
  joiner.rows_of(first, nullptr);
  joiner.rows_of(other, &first);
}

JoinedFiles join_files(const std::string& name, const std::vector<std::string>& paths, const DataFormat& format,
                       const ReadOptions& options, Context& ctx) {
  Joiner joiner(format, options);
  std::vector<Input> inputs;
  Whole whole;
  for (const std::string& path : paths) {
    const Input input = Input::open(path, ctx);
    refuse_other_format(input, format);
    const Rows rows = joiner.rows_of(input, inputs.empty() ? nullptr : &inputs.front());
    const bool is_empty_array = joiner.is_array() && trim(rows.text).empty();
    if (!is_empty_array) whole.add(input, rows, joiner.is_array() ? "," : "");
    inputs.push_back(input);
  }
  if (joiner.is_array()) whole.frame("[", "]");
  return {Input::from_bytes(name, whole.take_text()), whole.take_files()};
}

}  // namespace clade
