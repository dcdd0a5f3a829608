#include "io/sample_lines.h"

#include <fmt/format.h>

#include "io/lines.h"

namespace clade {

void for_each_sample_line(const Input& input, Index samples, std::string_view what, std::string_view header,
                          const std::function<void(std::string_view, Index)>& visit) {
  std::string_view rest = without_byte_order_mark(input.bytes());
  Index found = 0;
  for (Index line = 1; !rest.empty(); ++line) {
    const std::string_view text = trim(take_line(rest));
    if (line == 1 && text == header) continue;
    if (text.empty() && trim(rest).empty()) break;
    if (found == samples) {
      throw input_error(input.at_line(line), fmt::format("more {} than samples", what),
                        fmt::format("expected {} lines", samples));
    }
    visit(text, line);
    ++found;
  }
  if (found < samples) {
    throw input_error({.file = input.name()}, fmt::format("{} for {} samples", what, found),
                      fmt::format("expected {}, one line for each sample of the data", samples));
  }
}

}  // namespace clade
