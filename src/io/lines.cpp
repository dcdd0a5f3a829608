#include "io/lines.h"

#include <fmt/core.h>
#include <utf8proc.h>

#include <algorithm>
#include <cstring>

namespace clade {

std::vector<LineChunk> line_chunks(std::string_view text, std::size_t begin, std::size_t target) {
  std::vector<LineChunk> chunks;
  while (begin < text.size()) {
    std::size_t end = text.size();
    if (text.size() - begin > target) {
      const std::size_t newline = text.find('\n', begin + target);
      if (newline != std::string_view::npos) end = newline + 1;
    }
    chunks.push_back({begin, end});
    begin = end;
  }
  return chunks;
}

namespace {

// Side by side, so that it takes as long as reading the memory.
Index count_line_ends(std::string_view text) {
  constexpr std::size_t kLanes = 16;
  constexpr std::size_t kMostSteps = 127;  // a lane counts one per step and must not overflow
  using Lanes = signed char __attribute__((vector_size(kLanes)));
  const Lanes line_end = Lanes{} + static_cast<signed char>('\n');
  Index ends = 0;
  while (text.size() >= kLanes) {
    const std::size_t steps = std::min(text.size() / kLanes, kMostSteps);
    Lanes found{};
    for (std::size_t k = 0; k < steps; ++k) {
      Lanes bytes;
      std::memcpy(&bytes, text.data() + k * kLanes, kLanes);
      found -= bytes == line_end;
    }
    for (std::size_t lane = 0; lane < kLanes; ++lane) ends += found[lane];
    text.remove_prefix(steps * kLanes);
  }
  return ends + static_cast<Index>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace

Index count_lines(std::string_view text) {
  const Index ends = count_line_ends(text);
  return ends + (!text.empty() && text.back() != '\n' ? 1 : 0);
}

std::string_view take_line(std::string_view& rest) {
  const std::size_t newline = rest.find('\n');
  std::string_view line = rest.substr(0, newline);
  rest.remove_prefix(newline == std::string_view::npos ? rest.size() : newline + 1);
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line;
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n\f\v";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

std::string_view without_byte_order_mark(std::string_view text) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  return text;
}

std::size_t first_invalid_utf8(std::string_view text) {
  const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  std::size_t at = 0;
  while (at < text.size()) {
    if (bytes[at] < 0x80) {
      ++at;
      continue;
    }
    utf8proc_int32_t point = 0;
    const utf8proc_ssize_t length =
        utf8proc_iterate(bytes + at, static_cast<utf8proc_ssize_t>(text.size() - at), &point);
    if (length <= 0) return at;
    at += static_cast<std::size_t>(length);
  }
  return std::string_view::npos;
}

std::string shown(std::string_view text) {
  constexpr std::size_t kLongest = 40;
  std::string result;
  std::size_t at = 0;
  while (at < text.size() && at < kLongest) {
    utf8proc_int32_t point = 0;
    const utf8proc_ssize_t length = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data() + at),
                                                     static_cast<utf8proc_ssize_t>(text.size() - at), &point);
    if (length > 0 && utf8proc_category(point) != UTF8PROC_CATEGORY_CC) {
      result += text.substr(at, static_cast<std::size_t>(length));
      at += static_cast<std::size_t>(length);
    } else {
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[at]));
      ++at;
    }
  }
  if (at < text.size()) result += "...";
  return result;
}

std::string quoted_name(std::string_view name) {
  return "'" + shown(name) + "'";
}

std::string latin1_to_utf8(std::string_view text) {
  std::string result;
  result.reserve(text.size() + text.size() / 8);
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      result += c;
    } else {
      result += static_cast<char>(0xC0U | (byte >> 6U));
      result += static_cast<char>(0x80U | (byte & 0x3FU));
    }
  }
  return result;
}

bool is_utf16(std::string_view text) {
  return text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF");
}

std::string utf16_to_utf8(std::string_view text) {
  constexpr std::uint32_t kReplacement = 0xFFFD;
  const bool big_end_first = text.starts_with('\xFE');
  const auto unit = [&](std::size_t at) {
    const auto first = static_cast<unsigned char>(text[at]);
    const auto second = static_cast<unsigned char>(text[at + 1]);
    return static_cast<std::uint32_t>(big_end_first ? first << 8U | second : second << 8U | first);
  };
  const auto is_between = [](std::uint32_t value, std::uint32_t low, std::uint32_t high) {
    return value >= low && value <= high;
  };
  std::string result;
  result.reserve(text.size());
  for (std::size_t at = 2; at < text.size(); at += 2) {
    std::uint32_t point = at + 1 < text.size() ? unit(at) : kReplacement;
    const bool has_next = at + 3 < text.size();
    if (is_between(point, 0xD800, 0xDBFF) && has_next && is_between(unit(at + 2), 0xDC00, 0xDFFF)) {
      point = 0x10000 + ((point - 0xD800) << 10U) + (unit(at + 2) - 0xDC00);
      at += 2;
    } else if (is_between(point, 0xD800, 0xDFFF)) {
      point = kReplacement;
    }
    const auto add = [&](std::uint32_t byte) { result += static_cast<char>(byte); };
    if (point < 0x80) {
      add(point);
    } else if (point < 0x800) {
      add(0xC0 | point >> 6U);
      add(0x80 | (point & 0x3FU));
    } else if (point < 0x10000) {
      add(0xE0 | point >> 12U);
      add(0x80 | (point >> 6U & 0x3FU));
      add(0x80 | (point & 0x3FU));
    } else {
      add(0xF0 | point >> 18U);
      add(0x80 | (point >> 12U & 0x3FU));
      add(0x80 | (point >> 6U & 0x3FU));
      add(0x80 | (point & 0x3FU));
    }
  }
  return result;
}

}  // namespace clade
