#pragma once

#include <clade/dataset.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/output_file.h"
#include "io/format.h"
#include "io/parsed.h"

namespace clade {

// The file FILE.meta.json beside a data file, which holds what the data format cannot: docs/formats/meta.md.
std::string meta_path(const std::string& data_path);
bool has_meta(const std::string& data_path);
// Of how many of the files; and sees to it that this is all of them, or none: throws Error (kInput).
std::size_t count_metas(const std::vector<std::string>& data_paths);
void require_meta_for_all(const std::vector<std::string>& data_paths, std::size_t metas);

// Identifies the data file that a meta file belongs to. If a process dies when only one of the two files is in place, a
// reader sees that they do not belong together.
struct DataMark {
  std::uint64_t bytes = 0;  // size of the data file on disk
  std::string xxh3;         // its checksum (XXH3, 64 bits) in hexadecimal digits

  bool operator==(const DataMark&) const = default;
};

// Passes bytes on to `target` and computes their mark. `target` must outlive it.
class MarkingSink : public Sink {
 public:
  explicit MarkingSink(Sink& target);
  ~MarkingSink() override;
  void write(std::string_view bytes) override;
  DataMark mark() const;

 private:
  struct State;
  Sink& target_;
  std::unique_ptr<State> state_;
};

// The content for a data file that itself contains what `held` says; nothing if it needs no meta file. That of a part
// of a data set says all that holds for the whole, whether or not the samples of the part would tell it.
std::optional<std::string> meta_content(const Dataset& data, const DataFormat::Holds& held, const DataMark& mark,
                                        bool is_part = false);

// The content for raw text, whose features are learnt whenever it is read: the hierarchy of its labels.
std::string text_meta_content(const Taxonomy& taxonomy, Index samples, const DataMark& mark);
// That hierarchy, if such a file is beside the data; nothing if there is none, or one that says more.
std::optional<Taxonomy> text_meta_taxonomy(const std::string& data_path, Context& ctx);

// Puts a data file that needs no meta file in place, and removes one that an earlier file of its name left: it would be
// taken for ours. It goes last: until then its mark shows that it belongs to other data. Throws Error (kInput) if there
// is one and `overwrite` is false.
void commit_without_meta(OutputFile& file, bool overwrite);

// Some rows of a data file.
struct SomeRows {
  Index first = 0;
  Index all = 0;  // rows of the file
};

// Completes what was read from a data file by its meta file, whose name tells where the data file is. Throws Error if
// the two do not belong together: the mark is that of another file, or (meta files of early versions have no mark)
// counts differ.
void apply_meta(const Input& meta, ParsedData& parsed);
// The same if only some of its rows were read, and without a look at the mark; the other function is that look alone,
// for which all of the data file is read.
void apply_meta(const Input& meta, ParsedData& parsed, const SomeRows& rows);
void check_mark(const Input& meta);

}  // namespace clade
