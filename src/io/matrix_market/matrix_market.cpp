#include "io/matrix_market/matrix_market.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <tuple>

#include "io/labels/label_file.h"
#include "io/lines.h"
#include "io/matrix_market/matrix_market_body.h"
#include "io/number.h"
#include "io/utf8_text.h"

namespace clade {
namespace {

namespace fs = std::filesystem;

// The path of the matrix without .mtx and compression ending.
fs::path stem_of(const Input& matrix) {
  fs::path path(without_compression_ending(matrix.name()));
  return path.replace_extension();
}

std::vector<std::string> read_name_lines(const fs::path& path, const ReadOptions& options, Context& ctx) {
  const Input input = Input::open(path.string(), ctx);
  const Utf8Text utf8(input, options.encoding);
  std::string_view text = utf8.text();
  std::vector<std::string> names;
  while (!text.empty()) names.emplace_back(trim(take_line(text)));
  return names;
}

// Names of terms and documents in files beside a matrix STEM.mtx: STEM.terms and STEM.docs, one name per line.
struct TermsAndDocuments {
  std::vector<std::string> terms;
  std::vector<std::string> documents;
};

// Nothing unless both files exist.
std::optional<TermsAndDocuments> read_terms_and_documents(const Input& matrix, const ReadOptions& options,
                                                          Context& ctx) {
  const std::string stem = stem_of(matrix).string();
  const fs::path terms = stem + ".terms";
  const fs::path documents = stem + ".docs";
  std::error_code ignored;
  if (!fs::is_regular_file(terms, ignored) || !fs::is_regular_file(documents, ignored)) return std::nullopt;
  return TermsAndDocuments{read_name_lines(terms, options, ctx), read_name_lines(documents, options, ctx)};
}

// A class list beside the matrix: a .clist file whose name up to its first dot begins the matrix file's name. If there
// are several, one with "disjoint" in its name comes first, then the first in alphabetical order.
std::optional<std::string> find_class_list(const Input& matrix) {
  const fs::path stem = stem_of(matrix);
  const fs::path folder = stem.has_parent_path() ? stem.parent_path() : fs::path(".");
  const std::string matrix_name = stem.filename().string();
  std::optional<std::tuple<bool, std::string>> best;  // not disjoint, name: the smallest wins
  std::error_code failure;
  for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end; entry.increment(failure)) {
    const std::string name = entry->path().filename().string();
    const std::string start = name.substr(0, name.find('.'));
    if (!name.ends_with(".clist") || start.empty() || !matrix_name.starts_with(start)) continue;
    const std::tuple candidate(name.find("disjoint") == std::string::npos, name);
    if (!best || candidate < *best) best = candidate;
  }
  if (!best) return std::nullopt;
  return (folder / std::get<1>(*best)).string();
}

// Takes names from the files beside the matrix, if any, and says whether they show that columns are samples.
bool use_companions(const Input& input, const MatrixMarketHeader& header, const ReadOptions& options, ParsedData& data,
                    Context& ctx) {
  auto found = read_terms_and_documents(input, options, ctx);
  if (!found) return options.transpose;
  const Index terms = std::ssize(found->terms);
  const Index documents = std::ssize(found->documents);
  const bool columns_are_documents = terms == header.rows && documents == header.columns;
  const bool rows_are_documents = documents == header.rows && terms == header.columns && !options.transpose;
  if (!columns_are_documents && !rows_are_documents) {
    data.notes.push_back(fmt::format("names beside the matrix not used: {} terms and {} documents do not fit {} x {}",
                                     terms, documents, header.rows, header.columns));
    return options.transpose;
  }
  data.feature_names = std::move(found->terms);
  data.sample_names = std::move(found->documents);
  data.notes.emplace_back(
      columns_are_documents && !options.transpose
          ? "names from the .terms and .docs files beside the matrix; transposed, as its rows are terms"
          : "names from the .terms and .docs files beside the matrix");
  return columns_are_documents;
}

void read_labels(const Input& input, const ReadOptions& options, ParsedData& data, Context& ctx) {
  const Index samples = row_count(data.features);
  std::string path = options.labels_file;
  if (path.empty() && !data.sample_names.empty()) {
    if (auto found = find_class_list(input)) {
      path = std::move(*found);
      data.notes.push_back(fmt::format("labels from {}", std::filesystem::path(path).filename().string()));
    }
  }
  if (path.empty()) {
    for (Index s = 0; s < samples; ++s) data.labels.end_sample();
  } else {
    data.labels_file = path;
    data.labels = read_label_file(path, options, data.sample_names, samples, data.notes, ctx);
  }
}

}  // namespace

ParsedData read_matrix_market(const Input& input, const ReadOptions& options, Context& ctx) {
  ParsedData data;
  const MatrixMarketHeader header = parse_matrix_market_header(input);
  const bool transposed = use_companions(input, header, options, data, ctx);
  set_matrix_market_features(data, input, header, transposed, options.precision, ctx);
  read_labels(input, options, data, ctx);
  return data;
}

namespace {

constexpr std::size_t kBufferBytes = 1U << 16U;

// Collects lines and passes them to the sink in large pieces.
class Lines {
 public:
  Lines(Sink& sink, Context& ctx) : sink_(sink), ctx_(ctx) {}

  std::string& text() { return text_; }
  void end_line() {
    text_ += '\n';
    if (text_.size() >= kBufferBytes) flush();
  }
  void flush() {
    ctx_.check_cancelled();
    sink_.write(text_);
    text_.clear();
  }

 private:
  Sink& sink_;
  Context& ctx_;
  std::string text_;
};

template <class T>
void write_matrix(const Dataset& data, const SparseMatrix<T>& matrix, Lines& lines) {
  Index entries = 0;
  for (Index s = 0; s < data.samples(); ++s) entries += std::ssize(matrix.row_indices(data.source_row(s)));
  lines.text() +=
      fmt::format("%%MatrixMarket matrix coordinate real general\n{} {} {}", data.samples(), matrix.columns, entries);
  lines.end_line();
  for (Index s = 0; s < data.samples(); ++s) {
    const std::string row = fmt::format("{} ", s + 1);
    const auto columns = matrix.row_indices(data.source_row(s));
    const auto values = matrix.row_values(data.source_row(s));
    for (std::size_t k = 0; k < columns.size(); ++k) {
      lines.text() += row;
      fmt::format_to(std::back_inserter(lines.text()), "{} ", Index{columns[k]} + 1);
      append_number(lines.text(), values[k]);
      lines.end_line();
    }
  }
}

template <class T>
void write_matrix(const Dataset& data, const DenseMatrix<T>& matrix, Lines& lines) {
  lines.text() += fmt::format("%%MatrixMarket matrix array real general\n{} {}", data.samples(), matrix.columns);
  lines.end_line();
  for (Index column = 0; column < matrix.columns; ++column) {
    for (Index s = 0; s < data.samples(); ++s) {
      append_number(lines.text(), matrix.values[data.source_row(s) * matrix.columns + column]);
      lines.end_line();
    }
  }
}

}  // namespace

void write_matrix_market(const Dataset& data, const WriteOptions& /*options*/, Sink& sink, Context& ctx) {
  Lines lines(sink, ctx);
  std::visit([&](const auto& matrix) { write_matrix(data, matrix, lines); }, data.matrix());
  lines.flush();
}

DataFormat::Holds matrix_market_holds(const Dataset& /*data*/) {
  return {.feature_count = true, .labels = false};
}

}  // namespace clade
