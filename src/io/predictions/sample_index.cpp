#include "io/predictions/sample_index.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>

#include "core/check.h"
#include "io/lines.h"

namespace clade {
namespace {

constexpr std::size_t kFewestSlots = 16;

template <class Word>
std::uint64_t load(const char* bytes) {
  Word word = 0;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

// Multiplication carries differences upwards; the shift brings them down again.
std::uint64_t mixed(std::uint64_t bits) {
  bits *= 0x9E3779B97F4A7C15U;
  return bits ^ (bits >> 32U);
}

std::uint64_t last_bytes(const char* bytes, std::size_t count) {
  if (count >= 4) return load<std::uint32_t>(bytes) | load<std::uint32_t>(bytes + count - 4) << 32U;
  return load<std::uint8_t>(bytes) | load<std::uint8_t>(bytes + count / 2) << 8U |
         load<std::uint8_t>(bytes + count - 1) << 16U;
}

}  // namespace

NameTable::NameTable(Index expected) {
  ends_.reserve(static_cast<std::size_t>(expected) + 1);
  resize(std::max(kFewestSlots, std::bit_ceil(2 * static_cast<std::size_t>(expected))));
}

std::uint64_t NameTable::hash_of(std::string_view name) {
  const char* bytes = name.data();
  std::size_t left = name.size();
  std::uint64_t hash = left;
  for (; left >= 8; left -= 8, bytes += 8) hash = mixed(hash ^ load<std::uint64_t>(bytes));
  if (left > 0) hash = mixed(hash ^ last_bytes(bytes, left));
  return mixed(hash);
}

void NameTable::resize(std::size_t slots) {
  slots_.assign(slots, {});
  for (Index number = 0; number < size(); ++number) {
    const std::uint64_t hash = hash_of(name(number));
    slots_[slot_of(name(number), hash)] = {.tag = static_cast<std::uint32_t>(hash >> 32U),
                                           .number = static_cast<std::int32_t>(number)};
  }
}

Index NameTable::add(std::string_view name) {
  const std::uint64_t hash = hash_of(name);
  std::size_t at = slot_of(name, hash);
  if (slots_[at].number >= 0) return slots_[at].number;
  CLADE_CHECK(size() < std::numeric_limits<std::int32_t>::max());
  if (2 * (ends_.size()) > slots_.size()) {
    resize(2 * slots_.size());
    at = slot_of(name, hash);
  }
  slots_[at] = {.tag = static_cast<std::uint32_t>(hash >> 32U), .number = static_cast<std::int32_t>(size())};
  text_ += name;
  ends_.push_back(text_.size());
  return size() - 1;
}

namespace {

constexpr Index kNamesAtOnce = 16;

Error ambiguous(const Where& where, const Dataset& data, Index sample) {
  return input_error(where,
                     fmt::format("sample '{}' is in the data more than once, so a row of this file could mean either",
                                 shown(data.sample_name(sample))),
                     "expected samples with names of their own");
}

}  // namespace

SampleIndex::SampleIndex(const Dataset& data, const Where& where)
    : data_(data), named_(data.has_sample_names()), names_(named_ ? data.samples() : 0) {
  if (named_) {
    add_names(where);
    return;
  }
  rows_ = row_count(data.matrix());
  for (Index s = 0; s < data.samples(); ++s) rows_ = std::max(rows_, data.sample_number(s) + 1);
  if (!data.is_view() && rows_ == data.samples()) return;
  sample_of_.assign(static_cast<std::size_t>(rows_), -1);
  for (Index s = 0; s < data.samples(); ++s) {
    Index& sample = sample_of_[static_cast<std::size_t>(data.sample_number(s))];
    if (sample >= 0) throw ambiguous(where, data, s);
    sample = s;
  }
}

void SampleIndex::add_names(const Where& where) {
  std::array<std::string, kNamesAtOnce> block;
  const Index samples = data_.samples();
  for (Index begin = 0; begin < samples; begin += kNamesAtOnce) {
    const Index end = std::min(samples, begin + kNamesAtOnce);
    for (Index s = begin; s < end; ++s) {
      std::string& name = block[static_cast<std::size_t>(s - begin)];
      name = data_.sample_name(s);
      names_.prefetch(name);
    }
    for (Index s = begin; s < end; ++s) {
      if (names_.add(block[static_cast<std::size_t>(s - begin)]) != s) throw ambiguous(where, data_, s);
    }
  }
}

Index SampleIndex::find_name(std::string_view text, Index before) const {
  if (before >= 0) {
    if (names_.name(before) == text) return before;
    if (before + 1 < names_.size() && names_.name(before + 1) == text) return before + 1;
  }
  return names_.find(text);
}

Index SampleIndex::find_number(std::string_view text) const {
  const Index row = parse_digits(text, rows_ - 1);
  return sample_of_.empty() || row < 0 ? row : sample_of_[static_cast<std::size_t>(row)];
}

Error SampleIndex::unknown(std::string_view text, const Where& where) const {
  return input_error(where, fmt::format("sample '{}' is not in the data", shown(text)), expected());
}

std::string SampleIndex::expected() const {
  if (data_.samples() == 0) return "expected no rows, as the data has no samples";
  if (named_)
    return fmt::format("expected the name of one of its {} samples, such as '{}'", names_.size(),
                       shown(names_.name(0)));
  if (sample_of_.empty()) {
    return fmt::format("expected a number from 0 to {}, as its samples have no names", rows_ - 1);
  }
  return fmt::format("expected the number of one of its {} samples, such as {}", data_.samples(),
                     data_.sample_number(0));
}

void require_own_names(const Dataset& data, const Where& where) {
  bool ascends = !data.has_sample_names();
  for (Index s = 1; s < data.samples() && ascends; ++s) ascends = data.sample_number(s - 1) < data.sample_number(s);
  if (!ascends) static_cast<void>(SampleIndex(data, where));
}

}  // namespace clade
