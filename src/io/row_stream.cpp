#include "io/row_stream.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <numeric>

#include "data/missing.h"
#include "data/storage.h"
#include "io/bad_rows.h"
#include "io/choose_format.h"
#include "io/lines.h"

namespace clade {
namespace {

constexpr std::string_view kCutFormats[] = {"libsvm", "json-lines", "text-lines"};

// Up to the last line end within `most` bytes, or the whole first line if that is longer.
std::size_t whole_lines(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text.size();
  const std::size_t before = text.rfind('\n', most - 1);
  if (before != std::string_view::npos) return before + 1;
  const std::size_t after = text.find('\n', most);
  return after == std::string_view::npos ? text.size() : after + 1;
}

}  // namespace

RowStream::RowStream(const std::string& path, const ReadOptions& options, Context& ctx, std::size_t block_bytes)
    : options_(options), block_bytes_(block_bytes), name_(path == "-" ? "standard input" : path) {
  if (options.missing == Missing::kMean || options.missing == Missing::kDropSample) {
    throw usage_error("`missing`: a row may not depend on the other rows here", "expected error, keep or zero");
  }
  if (path == "-" && options.format.empty()) {
    throw usage_error("standard input has no name to tell its format", "expected `format` with it");
  }
  format_ = &choose_data_format(path, options.format, ctx);
  is_cut_ = std::ranges::find(kCutFormats, format_->name) != std::end(kCutFormats);
  check_skipping(path, *format_, options);
  if (path == "-") return;
  if (format_->read_path != nullptr) {
    folder_ = path;
    return;
  }
  file_ = Input::open(path, ctx);
  refuse_other_format(*file_, *format_);
}

RowStream::RowStream(std::string name, std::string bytes, const ReadOptions& options, Context& ctx)
    : options_(options), name_(std::move(name)), format_(&choose_data_format(name_, options.format, ctx)) {
  file_ = Input::from_bytes(name_, std::move(bytes));
}

// Waits for a whole line, and takes what else is already there, so that lines from a pipe are answered at once.
void RowStream::fill_from_standard_input() {
  constexpr std::size_t kPiece = std::size_t{1} << 20U;
  const auto has_more = [] {
    pollfd input{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
    return ::poll(&input, 1, 0) > 0;
  };
  while (!is_at_end_) {
    const bool has_line = is_cut_ && buffer_.find('\n') != std::string::npos;
    const bool is_wide = lines_ == 0 && is_utf16(buffer_);  // its lines cannot be told by single bytes
    if (has_line && !is_wide && (buffer_.size() >= block_bytes_ || !has_more())) return;
    const std::size_t before = buffer_.size();
    buffer_.resize(before + kPiece);
    const ssize_t got = ::read(STDIN_FILENO, buffer_.data() + before, kPiece);
    buffer_.resize(before + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got < 0 && errno != EINTR) throw system_error("standard input", "cannot read", errno);
    if (got == 0) is_at_end_ = true;
    if (got == 0 && lines_ == 0 && is_utf16(buffer_)) buffer_ = from_utf16(name_, buffer_);
  }
}

std::optional<ParsedData> RowStream::read_block(std::string_view block, Context& ctx) {
  if (!folder_.empty()) return format_->read_path(folder_, options_, ctx);
  const std::string name = lines_ == 0 ? name_ : fmt::format("{} (lines from {})", name_, lines_ + 1);
  const Input input = Input::from_bytes(name, block);
  good_block_.reset();
  if (!skips_bad_rows(options_)) return format_->read(input, options_, ctx);
  GoodRows good = good_rows(input, *format_, options_, ctx);
  const auto keep_bad = [&] {
    for (BadRow& row : good.bad) {
      row.line += lines_;
      bad_.push_back(std::move(row));
    }
  };
  if (good.are_all_bad()) {
    rows_ += good.rows;
    keep_bad();
    return std::nullopt;
  }
  ParsedData parsed = format_->read(good.input, options_, ctx);
  parsed.row_numbers = numbers_without(good.bad, row_count(parsed.features));
  parsed.bad_rows = std::ssize(good.bad);
  good_block_ = std::move(good.input);
  keep_bad();
  return parsed;
}

void RowStream::finish_bad_rows() {
  write_bad_rows(name_, bad_, options_);
  if (bad_.empty()) return;
  if (samples_ == 0) throw no_good_row(name_, bad_);
  notes_.push_back(bad_rows_note(name_, bad_));
}

std::string_view RowStream::take_block() {
  if (file_) {
    const std::string_view rest = file_->bytes().substr(taken_);
    const std::size_t size = is_cut_ ? whole_lines(rest, block_bytes_) : rest.size();
    file_->release(0, taken_);
    taken_ += size;
    return rest.substr(0, size);
  }
  fill_from_standard_input();
  // If more may follow, only complete lines can be used.
  const std::size_t size = is_at_end_ ? buffer_.size() : buffer_.rfind('\n') + 1;
  block_ = buffer_.substr(0, size);
  buffer_.erase(0, size);
  return block_;
}

std::optional<Dataset> RowStream::next(const Taxonomy& taxonomy, Context& ctx) {
  if (!folder_.empty() && rows_ > 0) return std::nullopt;
  std::optional<ParsedData> read;
  while (!read) {
    const std::string_view block = folder_.empty() ? take_block() : std::string_view();
    if (folder_.empty() && trim(block).empty() && (rows_ > 0 || lines_ > 0 || block.empty())) {
      finish_bad_rows();
      return std::nullopt;
    }
    last_block_ = block;
    read = read_block(block, ctx);
    lines_ += count_lines(block);
  }
  ParsedData& parsed = *read;
  std::vector<std::string> notes = std::move(parsed.notes);
  if (parsed.missing_values > 0) {
    if (options_.missing == Missing::kError || options_.missing == Missing::kAuto) {
      throw input_error(parsed.first_missing, "missing value", "say what to do with them: `missing` zero");
    }
    if (options_.missing == Missing::kZero) {
      const Index replaced = replace_missing(parsed.features, {}, ctx);
      for (std::string& note : replacement_notes(replaced, false, 0)) notes.push_back(std::move(note));
    }
  }
  parsed.features = stored_as(std::move(parsed.features), options_.storage, options_.precision, notes, ctx);
  for (std::string& note : notes) {
    if (std::ranges::find(notes_, note) == notes_.end()) notes_.push_back(std::move(note));
  }
  const Index rows = row_count(parsed.features);
  std::vector<Index> numbers;
  if (parsed.sample_names.empty()) {
    numbers = std::move(parsed.row_numbers);
    if (numbers.empty()) {
      numbers.resize(static_cast<std::size_t>(rows));
      std::iota(numbers.begin(), numbers.end(), Index{0});
    }
    for (Index& number : numbers) number += first_number_ + rows_;
  }
  rows_ += rows + parsed.bad_rows;
  samples_ += rows;
  LabelSets labels;
  labels.offsets.assign(static_cast<std::size_t>(rows) + 1, 0);
  return Dataset({.features = std::move(parsed.features),
                  .labels = std::move(labels),
                  .taxonomy = taxonomy,
                  .feature_names = std::move(parsed.feature_names),
                  .sample_names = std::move(parsed.sample_names),
                  .row_numbers = std::move(numbers),
                  .vectorizer = std::move(parsed.vectorizer)});
}

}  // namespace clade
