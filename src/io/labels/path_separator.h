#pragma once

#include <clade/taxonomy.h>
#include <clade/types.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace clade {

// What stands between the parts of a label that is a path, and how its node is named: by the parts, without blanks
// around them, joined by `join`. The separator of no paths is empty.
struct PathSeparator {
  std::string mark;     // the characters between two parts
  bool blanks = false;  // only where a blank, or an end of the label, is on both sides of them
  std::string join;

  // As a user gives it: with blanks on both sides, or without.
  static PathSeparator given(std::string_view text);

  bool empty() const { return mark.empty(); }
  bool cuts(std::string_view label) const { return !empty() && find(label, 0) != std::string_view::npos; }
  // The parts of a label, trimmed; a part may be empty.
  std::vector<std::string_view> parts(std::string_view label) const;
  // The name of the node that a label means; empty if a part is.
  std::string name_of(std::string_view label) const;

 private:
  std::size_t find(std::string_view label, std::size_t from) const;
};

// The separators that are recognised, those that win when in doubt first.
std::span<const PathSeparator> known_separators();

// The separator of these labels, which are all different; empty if they are not paths. It is the one that cuts the most
// labels, provided that it cuts half of them, or that labels which it cuts share their first part; separators with
// blanks around them win over bare ones, which are often part of a name (TV/Video). Dashes must cut half of the labels,
// and dots separate codes like 3.5.2.6 alone. If the user says that labels are paths (`surely`), one that cuts any of
// them is enough. `notes` says what was found, if it is not the plain /, and what is doubtful.
PathSeparator recognise_separator(const std::vector<std::string>& labels, bool surely, std::vector<std::string>& notes);

// The text between the names of a hierarchy whose nodes are named by their paths (a > b is below a); empty if its nodes
// are not, or with another text than the known ones.
std::string path_separator_of(const Taxonomy& taxonomy);

}  // namespace clade
