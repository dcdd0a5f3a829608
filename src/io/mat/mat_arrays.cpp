#include "io/mat/mat_arrays.h"

namespace clade {
namespace {

void append_utf8(std::uint32_t code, std::string& text) {
  const auto put = [&text](std::uint32_t byte) { text += static_cast<char>(byte); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0U | code >> 6U);
    put(0x80U | (code & 0x3FU));
  } else if (code < 0x10000) {
    put(0xE0U | code >> 12U);
    put(0x80U | (code >> 6U & 0x3FU));
    put(0x80U | (code & 0x3FU));
  } else {
    put(0xF0U | code >> 18U);
    put(0x80U | (code >> 12U & 0x3FU));
    put(0x80U | (code >> 6U & 0x3FU));
    put(0x80U | (code & 0x3FU));
  }
}

bool is_high_surrogate(std::uint32_t code) {
  return code >= 0xD800 && code < 0xDC00;
}
bool is_low_surrogate(std::uint32_t code) {
  return code >= 0xDC00 && code < 0xE000;
}

}  // namespace

std::size_t bytes_of(NumberType type) {
  switch (type) {
    case NumberType::kInt8:
    case NumberType::kUInt8:
      return 1;
    case NumberType::kInt16:
    case NumberType::kUInt16:
      return 2;
    case NumberType::kInt32:
    case NumberType::kUInt32:
    case NumberType::kFloat:
      return 4;
    case NumberType::kInt64:
    case NumberType::kUInt64:
    case NumberType::kDouble:
      break;
  }
  return 8;
}

double NumberArray::at(Index i) const {
  return with_loader(*this, [i](auto load) { return static_cast<double>(load(i)); });
}

Index NumberArray::index_at(Index i) const {
  return with_loader(*this, [i](auto load) -> Index {
    if constexpr (std::is_integral_v<typename decltype(load)::Type>) return static_cast<Index>(load(i));
    return -1;
  });
}

bool append_text(const NumberArray& codes, Index first, Index stride, Index count, std::string& text) {
  for (Index k = 0; k < count; ++k) {
    auto code = static_cast<std::uint32_t>(codes.index_at(first + k * stride));
    if (is_high_surrogate(code) && k + 1 < count) {
      const auto low = static_cast<std::uint32_t>(codes.index_at(first + (k + 1) * stride));
      if (!is_low_surrogate(low)) return false;
      code = 0x10000U + ((code & 0x3FFU) << 10U) + (low & 0x3FFU);
      ++k;
    }
    if (code > 0x10FFFF || is_high_surrogate(code) || is_low_surrogate(code)) return false;
    append_utf8(code, text);
  }
  return true;
}

void set_text(const NumberArray& codes, MatVariable& variable) {
  variable.kind = MatVariable::Kind::kText;
  if (variable.columns == 0) {
    variable.texts.emplace_back();  // whatever number of rows it claims
    return;
  }
  for (Index row = 0; row < variable.rows; ++row) {
    std::string text;
    if (!append_text(codes, row, variable.rows, variable.columns, text)) {
      variable.kind = MatVariable::Kind::kOther;
      variable.problem = "text that is not valid Unicode";
      return;
    }
    if (variable.rows > 1) text.erase(text.find_last_not_of(' ') + 1);
    variable.texts.push_back(std::move(text));
  }
}

}  // namespace clade
