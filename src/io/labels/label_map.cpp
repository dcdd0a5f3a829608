#include "io/labels/label_map.h"

#include <fmt/core.h>

#include <algorithm>

#include "io/csv/csv_record.h"
#include "io/lines.h"
#include "io/utf8_text.h"

namespace clade {
namespace {

constexpr std::string_view kArrow = "->";

Error bad_line(const Input& input, Index line, std::string_view problem) {
  return input_error(input.at_line(line), problem, "expected old -> new, or old -> new1,new2");
}

// Names with commas between them; none for blanks alone.
std::vector<std::string> names_of(std::string_view list, const Input& input, Index line) {
  std::vector<std::string> names;
  list = trim(list);
  while (!list.empty()) {
    const char* at = list.data();
    const CsvField field = take_csv_field(at, list.data() + list.size(), ',');
    std::string scratch;
    const std::string_view name = csv_field_text(field, scratch);
    if (!field.closed || trim(name).empty())
      throw bad_line(input, line, "an empty name, or a quote that is not closed");
    if (std::ranges::find(names, name) == names.end()) names.emplace_back(name);
    const bool is_last = at == list.data() + list.size();
    list.remove_prefix(static_cast<std::size_t>(at - list.data()));
    if (is_last) break;
    list = trim(list.substr(1));
    if (list.empty()) throw bad_line(input, line, "an empty name after a comma");
  }
  return names;
}

// Where the arrow after the old name is.
std::size_t find_arrow(std::string_view line) {
  if (!line.starts_with('"')) return line.find(kArrow);
  std::size_t close = line.find('"', 1);
  while (close != line.npos && line.substr(close).starts_with("\"\"")) close = line.find('"', close + 2);
  return close == line.npos ? close : line.find(kArrow, close);
}

}  // namespace

LabelMap parse_label_map(const Input& input) {
  const Utf8Text text(input, Encoding::kUtf8);
  NumberedLines lines(text.text());
  LabelMap map;
  for (std::string_view raw; lines.next(raw);) {
    const std::string_view line = trim(raw);
    if (line.empty() || line.starts_with('#')) continue;
    const std::size_t arrow = find_arrow(line);
    if (arrow == line.npos) throw bad_line(input, lines.number(), "no -> in this line");
    std::string_view old = trim(line.substr(0, arrow));
    std::string scratch;
    if (old.starts_with('"')) {
      const char* at = old.data();
      old = csv_field_text(take_csv_field(at, old.data() + old.size(), '\n'), scratch);
    }
    if (old.empty()) throw bad_line(input, lines.number(), "no label before ->");
    const bool is_new = map.emplace(old, names_of(line.substr(arrow + kArrow.size()), input, lines.number())).second;
    if (!is_new) throw bad_line(input, lines.number(), fmt::format("label '{}' stands there twice", shown(old)));
  }
  if (map.empty()) throw bad_line(input, 1, "no label in this file");
  return map;
}

LabelNames with_mapped_labels(const LabelNames& labels, const LabelMap& map, std::vector<std::string>& notes) {
  LabelNames result;
  Index changed = 0;
  std::vector<std::string_view> own;
  for (Index s = 0; s < labels.samples(); ++s) {
    own.clear();
    const auto add = [&](std::string_view name, Index line) {
      if (std::ranges::find(own, name) != own.end()) return;
      own.push_back(name);
      result.add(name, line);
    };
    bool is_changed = false;
    for (const std::int32_t label : labels.of(s)) {
      const std::string& name = labels.names()[static_cast<std::size_t>(label)];
      const auto found = map.find(name);
      if (found == map.end()) {
        add(name, labels.first_line(label));
        continue;
      }
      is_changed = true;
      for (const std::string& to : found->second) add(to, labels.first_line(label));
    }
    changed += is_changed ? 1 : 0;
    result.end_sample();
  }
  Index unused = 0;
  for (const auto& [old, to] : map) {
    if (std::ranges::find(labels.names(), old) == labels.names().end()) ++unused;
  }
  notes.push_back(fmt::format("{} sample{} by the label map", changed,
                              changed == 1 ? " has labels changed" : "s have labels changed"));
  if (unused > 0) notes.push_back(fmt::format("{} of {} labels of the label map do not occur", unused, map.size()));
  return result;
}

}  // namespace clade
