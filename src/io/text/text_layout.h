#pragma once

#include <clade/io.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/parsed.h"

namespace clade {

// One document per file: which files of a folder or an archive are documents, and what their classes are. Paths are
// relative to the folder or the archive, with '/' between parts.
class TextLayout {
 public:
  explicit TextLayout(const ReadOptions& options);

  // The path without empty parts and "." parts, or nothing if it is hidden (a part begins with a dot) or not below
  // options.under. Hidden paths are counted.
  std::optional<std::string> accept(std::string_view path);
  // Could a folder hold documents? Hidden ones are counted.
  bool enters(std::string_view folder);

  void skip_link() { ++links_; }
  void skip_special() { ++specials_; }

  // Sets sample names and labels of `data` from the documents' paths, in their order, and notes what was skipped.
  void finish(const std::vector<std::string>& paths, ParsedData& data) const;

 private:
  std::string_view class_path(std::string_view path) const;
  std::string separator() const;
  std::string label_of(std::string_view path) const;

  const ReadOptions& options_;
  std::string under_;  // normalised: "" or "a/b/"
  Index hidden_ = 0;
  Index links_ = 0;
  Index specials_ = 0;
};

}  // namespace clade
