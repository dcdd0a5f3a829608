#pragma once

#include <clade/io.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/output_file.h"
#include "io/input.h"
#include "io/parsed.h"

namespace clade {

class TextWindows;

// A row that cannot be read.
struct BadRow {
  Index row = 0;    // its number among all rows, good and bad, from 0
  Index line = 0;   // where it begins, from 1
  Index lines = 1;  // that it takes
  std::string reason;
};
struct RowCheck {
  Index rows = 0;  // good and bad
  std::vector<BadRow> bad;
};

// The numbers of `count` rows that are left among all rows, if those of these numbers, which ascend, were left out.
std::vector<Index> numbers_without(const std::vector<BadRow>& left_out, Index count);

// Adds what a second look found in the rows that the first had left: their numbers are those among these rows.
void add_findings(std::vector<BadRow> later, RowCheck& check);

// What was found in the parts of a file, in their order.
RowCheck joined_checks(std::vector<RowCheck> parts);

// Where the rows of a text are, for reading some of them: after its header, if it has one.
struct TextRows {
  std::size_t begin = 0;  // of the first
  Index line = 1;         // that begins there
  char delimiter = '\0';  // rows may take several lines, inside quotes as in CSV; 0: each line is a row
  bool is_told = true;    // otherwise the text must go on for this to be certain
};

// One row per data format. CONTRIBUTING.md says what else a new format needs.
struct DataFormat {
  std::string_view name;                      // for --format
  std::string_view help;                      // one line
  std::span<const std::string_view> endings;  // ".svm", ".libsvm"; compression endings are stripped before
  // Do the first bytes identify this format beyond doubt (a magic number)? Null: they cannot.
  bool (*recognises)(std::string_view head);

  // Exactly one of the two is set: a reader of bytes, or one that needs the path itself (folders, archives).
  ParsedData (*read)(const Input& input, const ReadOptions& options, Context& ctx);
  ParsedData (*read_path)(const std::string& path, const ReadOptions& options, Context& ctx);

  // Null: Clade does not write this format.
  void (*write)(const Dataset& data, const WriteOptions& options, Sink& sink, Context& ctx);
  // What a written file contains itself; the rest goes into the .meta.json beside it.
  struct Holds {
    bool feature_names = false;
    bool sample_names = false;
    bool taxonomy = false;
    bool feature_count = false;
    bool labels = true;
  };
  // A function, because for some formats it depends on the data (a tree fits where a DAG does not).
  Holds (*holds)(const Dataset& data);

  // Which rows of a file cannot be read (ReadOptions::skip_bad)? Null: the format is not made of rows.
  RowCheck (*check_rows)(const Input& input, const ReadOptions& options, Context& ctx) = nullptr;

  // Reads a compressed file, whose first window is the current one, while it is unpacked. Null: it is unpacked first.
  ParsedData (*read_windows)(TextWindows& windows, const ReadOptions& options, Context& ctx) = nullptr;

  // Reads some of the rows of a file, perhaps none, by what its beginning says: all of its header, and the rows that
  // tell what kind of file it is. find_rows sees whether `head` is that much, and throws Error if rows by themselves do
  // not say what they mean in the whole. Null: all rows must be read.
  TextRows (*find_rows)(const Input& head, const ReadOptions& options) = nullptr;
  ParsedData (*read_rows)(const Input& head, const Input& rows, const ReadOptions& options, Context& ctx) = nullptr;
};

struct TaxonomyFormat {
  std::string_view name;
  std::string_view help;
  std::span<const std::string_view> endings;
  // Does the content look like this format? Used when the ending decides nothing.
  bool (*recognises)(std::string_view head);
  TaxonomyBuilder (*read)(const Input& input, const ReadOptions& options, std::vector<std::string>& notes);
  void (*write)(const Taxonomy& taxonomy, const WriteOptions& options, Sink& sink);
};

std::span<const DataFormat> data_formats();
std::span<const TaxonomyFormat> taxonomy_formats();

}  // namespace clade
