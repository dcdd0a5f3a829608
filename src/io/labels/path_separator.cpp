#include "io/labels/path_separator.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>

#include "io/lines.h"

namespace clade {
namespace {

constexpr std::string_view kDashes = "--";
constexpr std::string_view kDot = ".";
constexpr std::size_t kLongestCode = 5;  // of one part of a code such as 3.5.2.n12
constexpr Index kIllFormedShare = 10;    // so many labels for each that has an empty part

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_letter_or_digit(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// A number, a letter, letters with digits, or the dash that leaves a level open (EC 3.5.2.-).
bool is_code_part(std::string_view part) {
  if (part == "-") return true;
  if (part.empty() || part.size() > kLongestCode || !std::ranges::all_of(part, is_letter_or_digit)) return false;
  return part.size() == 1 || std::ranges::any_of(part, is_digit);
}

// Codes of at least three parts, for 1.5 and 2.0 are numbers.
bool are_dotted_codes(const std::vector<std::string>& labels, const PathSeparator& dot) {
  bool deep = false;
  for (const std::string& label : labels) {
    const auto parts = dot.parts(label);
    deep = deep || parts.size() > 2;
    if (!std::ranges::all_of(parts, is_code_part)) return false;
  }
  return deep;
}

// How well a separator fits.
struct Evidence {
  const PathSeparator* separator = nullptr;
  Index labels = 0;
  Index cut = 0;     // labels that it cuts into parts
  Index broken = 0;  // labels with an empty part
  Index linked = 0;  // labels that it cuts and whose first part another label has, or is
  std::string_view example;

  bool cuts_half() const { return 2 * cut >= labels; }
  bool fits() const {
    if (cut == 0) return false;
    // Slashes also stand in names (TV/Video): then other labels have none, and no two begin alike.
    if (separator->mark == "/" && !separator->blanks) return cut == labels || linked > (cuts_half() ? 0 : 1);
    // A label that begins or ends with the mark speaks against it (> 50K), less so among paths with blanks around it.
    if (cut - broken < (separator->blanks ? broken : kIllFormedShare * broken)) return false;
    return cuts_half() || (linked > 1 && separator->mark != kDashes);
  }
};

Evidence evidence_for(const PathSeparator& separator, const std::vector<std::string>& labels) {
  Evidence found{.separator = &separator, .labels = std::ssize(labels)};
  if (separator.mark == kDot && !are_dotted_codes(labels, separator)) return found;
  std::unordered_map<std::string_view, Index> first_parts;
  for (const std::string& label : labels) {
    const auto parts = separator.parts(label);
    ++first_parts[parts.front()];
    if (parts.size() == 1) continue;
    if (found.cut++ == 0) found.example = label;
    if (std::ranges::any_of(parts, &std::string_view::empty)) ++found.broken;
  }
  if (found.cut == 0) return found;
  for (const std::string& label : labels) {
    const auto parts = separator.parts(label);
    if (parts.size() > 1 && first_parts[parts.front()] > 1) ++found.linked;
  }
  return found;
}

// Blanks are rarely put around what is part of a name: half as many labels are enough.
bool is_better(const Evidence& a, const Evidence& b) {
  const bool a_blanks = a.separator->blanks;
  const bool b_blanks = b.separator->blanks;
  if (a_blanks != b_blanks) return a_blanks ? 2 * a.cut >= b.cut : a.cut > 2 * b.cut;
  return std::pair(a.cut, a.linked) > std::pair(b.cut, b.linked);
}

// ` > ` and `>` are one separator if labels with the bare one start like others.
const Evidence& with_bare_form(const Evidence& best, const std::vector<Evidence>& all,
                               const std::vector<std::string>& labels) {
  if (!best.separator->blanks) return best;
  const auto bare = std::ranges::find_if(all, [&](const Evidence& other) {
    return other.separator->mark == best.separator->mark && !other.separator->blanks;
  });
  if (bare == all.end() || bare->cut == best.cut || bare->broken > 0) return best;
  std::unordered_map<std::string_view, Index> tops;
  for (const std::string& label : labels) {
    if (best.separator->cuts(label)) ++tops[best.separator->parts(label).front()];
  }
  for (const std::string& label : labels) {
    if (best.separator->cuts(label) || !bare->separator->cuts(label)) continue;
    if (!tops.contains(bare->separator->parts(label).front())) return best;
  }
  return *bare;
}

void note_choice(const Evidence& best, const std::vector<Evidence>& all, std::vector<std::string>& notes) {
  if (best.separator->join != "/" || best.separator->mark != "/") {
    notes.push_back(fmt::format("labels are paths with '{}' between their parts (use `label-paths` no if they are not)",
                                best.separator->blanks ? " " + best.separator->mark + " " : best.separator->mark));
  }
  const auto rival = std::ranges::find_if(all, [&](const Evidence& other) {
    return other.separator->mark != best.separator->mark && other.fits() && 2 * other.cut >= best.cut;
  });
  if (rival == all.end()) return;
  notes.push_back(
      fmt::format("{} of {} labels contain '{}', such as '{}': taken as part of a name (`path-separator` "
                  "says otherwise)",
                  rival->cut, rival->labels, rival->separator->mark, shown(rival->example)));
}

void note_no_paths(const std::vector<Evidence>& all, std::vector<std::string>& notes) {
  for (const Evidence& other : all) {
    const std::string& mark = other.separator->mark;
    const bool telling = mark == "/" || (mark != kDashes && other.separator->blanks && other.cut > other.broken);
    if (other.cut == 0 || !telling) continue;
    notes.push_back(
        fmt::format("{} of {} labels contain '{}', such as '{}', but are not taken for paths (use "
                    "`label-paths` yes if they are)",
                    other.cut, other.labels, mark, shown(other.example)));
    return;
  }
}

}  // namespace

PathSeparator PathSeparator::given(std::string_view text) {
  const std::string_view bare = trim(text);
  if (bare.size() >= 1 && text.size() > 1 && is_blank(text.front()) && is_blank(text.back())) {
    return {.mark = std::string(bare), .blanks = true, .join = std::string(text)};
  }
  return {.mark = std::string(text), .blanks = false, .join = std::string(text)};
}

std::size_t PathSeparator::find(std::string_view label, std::size_t from) const {
  if (mark.empty()) return std::string_view::npos;  // labels are no paths
  for (std::size_t at = label.find(mark, from); at != std::string_view::npos; at = label.find(mark, at + 1)) {
    const std::size_t end = at + mark.size();
    const bool alone = (at == 0 || is_blank(label[at - 1])) && (end == label.size() || is_blank(label[end]));
    if (!blanks || alone) return at;
  }
  return std::string_view::npos;
}

std::vector<std::string_view> PathSeparator::parts(std::string_view label) const {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  for (std::size_t at = find(label, 0); at != std::string_view::npos; at = find(label, begin)) {
    parts.push_back(trim(label.substr(begin, at - begin)));
    begin = at + mark.size();
  }
  parts.push_back(trim(label.substr(begin)));
  return parts;
}

std::string PathSeparator::name_of(std::string_view label) const {
  const auto found = parts(label);
  if (std::ranges::any_of(found, &std::string_view::empty)) return {};
  return fmt::format("{}", fmt::join(found, join));
}

std::span<const PathSeparator> known_separators() {
  static const std::array<PathSeparator, 13> separators{{{">", true, " > "},
                                                         {"/", true, " / "},
                                                         {"|", true, " | "},
                                                         {"::", true, " :: "},
                                                         {"\\", true, " \\ "},
                                                         {"--", true, " -- "},
                                                         {"/", false, "/"},
                                                         {">", false, ">"},
                                                         {"|", false, "|"},
                                                         {"::", false, "::"},
                                                         {"\\", false, "\\"},
                                                         {"--", false, "--"},
                                                         {".", false, "."}}};
  return separators;
}

PathSeparator recognise_separator(const std::vector<std::string>& labels, bool surely,
                                  std::vector<std::string>& notes) {
  std::vector<Evidence> all;
  for (const PathSeparator& separator : known_separators()) {
    const std::string& mark = separator.mark;
    const bool occurs = std::ranges::any_of(labels, [&](const std::string& l) { return l.find(mark) != l.npos; });
    if (occurs) all.push_back(evidence_for(separator, labels));
  }
  const Evidence* best = nullptr;
  for (const Evidence& one : all) {
    const bool possible = one.fits() || (surely && one.cut > one.broken);
    if (possible && (best == nullptr || is_better(one, *best))) best = &one;
  }
  if (best == nullptr) {
    note_no_paths(all, notes);
    return {};
  }
  best = &with_bare_form(*best, all, labels);
  note_choice(*best, all, notes);
  PathSeparator result = *best->separator;
  // The collections that are written with dashes are known by names with slashes.
  const bool slashes = std::ranges::any_of(labels, [](const std::string& l) { return l.find('/') != l.npos; });
  if (result.mark == kDashes && !slashes) result.join = "/";
  return result;
}

std::string path_separator_of(const Taxonomy& taxonomy) {
  std::string join;
  for (NodeId node = 1; node < taxonomy.size(); ++node) {
    if (taxonomy.is_miscellaneous(node)) continue;
    const auto parents = taxonomy.parents(node);
    if (parents.size() != 1) return {};
    if (parents[0] == taxonomy.root()) continue;
    const std::string& above = taxonomy.name(parents[0]);
    if (!taxonomy.name(node).starts_with(above)) return {};
    const std::string_view rest = std::string_view(taxonomy.name(node)).substr(above.size());
    if (join.empty()) {
      const auto known = known_separators();
      const auto found = std::ranges::find_if(known, [&](const auto& one) { return rest.starts_with(one.join); });
      if (found == known.end()) return {};
      join = found->join;
    }
    if (!rest.starts_with(join)) return {};
  }
  return join;
}

}  // namespace clade
