#pragma once

#include <clade/context.h>
#include <clade/dataset.h>
#include <clade/io.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/format.h"
#include "io/input.h"

namespace clade {

// The rows of a data file in blocks, without their labels, for work in constant memory. Formats with one row per line
// that do not depend on earlier lines (libsvm, json-lines, text-lines) come in blocks of some megabytes, and from a
// pipe as soon as they are there; other formats in one. Raw text needs options.vectorizer.
class RowStream {
 public:
  // Large enough that what is prepared for a block, and waiting for the last of its rows, cost little.
  static constexpr std::size_t kBlockBytes = std::size_t{32} << 20U;

  // "-" is standard input; its format must be given. Throws Error (kInput).
  RowStream(const std::string& path, const ReadOptions& options, Context& ctx, std::size_t block_bytes = kBlockBytes);
  // The same from memory, in the format that the options name; `name` is for messages.
  RowStream(std::string name, std::string bytes, const ReadOptions& options, Context& ctx);

  // Samples without names get numbers from this one on: for a file that follows others. Before the first rows.
  void number_from(Index first) { first_number_ = first; }

  // The next rows, over `taxonomy`, or nothing at the end. Samples without names have the number of their row in the
  // whole file, from 0, in which bad rows count. Throws Error (kInput) if something is wrong with the
  // rows. Missing values are refused or, if the options say so, replaced by 0: other policies would make a row depend
  // on the rows around it.
  std::optional<Dataset> next(const Taxonomy& taxonomy, Context& ctx);

  // The rows of the last block as the file has them, without bad ones that were left out, and their format; until the
  // next block is read. A folder or an archive has none.
  Input block() const { return good_block_ ? *good_block_ : Input::from_bytes(name_, last_block_); }
  std::string_view format() const { return format_->name; }
  const std::string& name() const { return name_; }
  // Do the rows come from standard input, one after another?
  bool is_pipe() const { return !file_ && folder_.empty(); }

  const std::vector<std::string>& notes() const { return notes_; }

 private:
  // Nothing if all rows of the block are bad.
  std::optional<ParsedData> read_block(std::string_view block, Context& ctx);
  // At the end: lists bad rows and notes them.
  void finish_bad_rows();
  std::string_view take_block();
  void fill_from_standard_input();

  ReadOptions options_;
  std::size_t block_bytes_ = kBlockBytes;
  std::string name_;
  const DataFormat* format_;
  bool is_cut_ = false;  // in blocks
  std::string folder_;   // or archive, which is read as a whole
  std::optional<Input> file_;
  std::size_t taken_ = 0;  // bytes of the file used so far
  std::string buffer_;     // for standard input: what is not yet handed out
  std::string block_;
  std::string_view last_block_;
  std::optional<Input> good_block_;  // the last block, if bad rows of it were left out
  bool is_at_end_ = false;
  Index first_number_ = 0;
  Index rows_ = 0;     // good and bad
  Index samples_ = 0;  // handed out
  Index lines_ = 0;
  std::vector<std::string> notes_;
  std::vector<BadRow> bad_;  // left out so far
};

}  // namespace clade
