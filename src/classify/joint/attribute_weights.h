#pragma once

#include <clade/types.h>

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include "core/fetch_ahead.h"
#include "core/large_pages.h"

namespace clade {

// A change to the weights of one attribute: w_attribute += value x.
struct AttributeChange {
  std::int32_t attribute;
  double value;
};

// The weights of a joint classifier during training, one row per feature with a number per attribute. A row takes
// memory when its feature is first used, as a list of its non-zero values; when the list has grown to one in twelve of
// the attributes it becomes a full row. So problems with many features and attributes, few of which meet, stay small,
// while the rows of frequent features are read at the speed of memory.
template <class T>
class AttributeWeights {
 public:
  AttributeWeights(Index features, Index attributes)
      : attributes_(attributes),
        stride_((attributes + kLine - 1) / kLine * kLine),
        rows_(static_cast<std::size_t>(features)) {}

  Index features() const { return std::ssize(rows_); }
  Index attributes() const { return attributes_; }
  // Length of a vector of outputs: the number of attributes, padded.
  Index stride() const { return stride_; }
  void grow(Index features) { rows_.resize(static_cast<std::size_t>(std::max(features, this->features()))); }

  // out[z] = sum_k value[k] w[feature[k], z] for all z < stride().
  void product(std::span<const std::int32_t> feature, std::span<const double> value, T* out) const {
    std::fill_n(out, stride_, T(0));
    const T* full[kTogether];
    T factor[kTogether];
    int waiting = 0;
    for (std::size_t k = 0; k < feature.size(); ++k) {
      if (k + 2 * kTogether < feature.size()) fetch(feature[k + 2 * kTogether]);
      const Row& row = rows_[static_cast<std::size_t>(feature[k])];
      const T v = static_cast<T>(value[k]);
      if (row.full == nullptr) {
        for (const Entry& e : row.list) out[e.attribute] += v * e.value;
        continue;
      }
      full[waiting] = row.full;
      factor[waiting] = v;
      if (++waiting < kTogether) continue;
      add_rows<kTogether>(full, factor, out);
      waiting = 0;
    }
    for (int k = 0; k < waiting; ++k) add_rows<1>(full + k, factor + k, out);
  }

  // The same for some attributes; other places of `out` are left undefined.
  void product_at(std::span<const std::int32_t> feature, std::span<const double> value,
                  std::span<const std::int32_t> wanted, T* out) const {
    for (const std::int32_t z : wanted) out[z] = 0;
    for (std::size_t k = 0; k < feature.size(); ++k) {
      const Row& row = rows_[static_cast<std::size_t>(feature[k])];
      const T v = static_cast<T>(value[k]);
      if (row.full == nullptr) {
        for (const Entry& e : row.list) out[e.attribute] += v * e.value;
      } else {
        for (const std::int32_t z : wanted) out[z] += v * row.full[z];
      }
    }
  }

  // w[feature[k]] += value[k] times the changes, whose attributes ascend. Threads may change different features side by
  // side. The second returns by how much the squared length of the feature's weights grows.
  void add(std::span<const std::int32_t> feature, std::span<const double> value,
           std::span<const AttributeChange> changes) {
    for (std::size_t k = 0; k < feature.size(); ++k) add(feature[k], value[k], changes);
  }
  double add(Index feature, double factor, std::span<const AttributeChange> changes) {
    if (changes.empty() || factor == 0) return 0;
    Row& row = rows_[static_cast<std::size_t>(feature)];
    if (row.full == nullptr) {
      double growth = 0;
      if (merge(row, factor, changes, growth)) return growth;
      fill(row);
    }
    return add_to_full(row.full, factor, changes);
  }

  // Asks the memory for what add() will need: first the one, some time later the other.
  void fetch(std::int32_t feature) const { fetch_ahead(&rows_[static_cast<std::size_t>(feature)]); }
  void fetch(std::int32_t feature, std::span<const AttributeChange> changes) const {
    const Row& row = rows_[static_cast<std::size_t>(feature)];
    if (row.full == nullptr) return fetch_ahead_to_write(row.list.data());
    for (const AttributeChange& c : changes) fetch_ahead_to_write(row.full + c.attribute);
  }

  // Calls visit(attribute, value) for the non-zero values of a feature, attributes ascending.
  template <class Visit>
  void for_each(Index feature, Visit&& visit) const {
    const Row& row = rows_[static_cast<std::size_t>(feature)];
    if (row.full == nullptr) {
      for (const Entry& e : row.list) {
        if (e.value != 0) visit(e.attribute, e.value);
      }
      return;
    }
    for (Index z = 0; z < attributes_; ++z) {
      if (row.full[z] != 0) visit(static_cast<std::int32_t>(z), row.full[z]);
    }
  }

  // The number of values stored, including the zeros of full rows.
  Index stored() const {
    Index count = 0;
    for (const Row& row : rows_) count += row.full != nullptr ? stride_ : std::ssize(row.list);
    return count;
  }

 private:
  static constexpr Index kLine = 64 / static_cast<Index>(sizeof(T));
  static constexpr int kTogether = 4;      // full rows read side by side: four streams keep the memory busy
  static constexpr Index kFullShare = 12;  // a list with one in so many attributes becomes a full row
  static constexpr Index kShortRow = 32;   // a row with so few attributes is always full
  // Numbers for full rows that are asked for together: at first few, then many on large pages.
  static constexpr Index kFirstChunk = Index{1} << 14;
  static constexpr Index kChunk = Index{1} << 20;
  static constexpr std::size_t kPage = std::size_t{1} << 21;

  struct Entry {
    std::int32_t attribute;
    T value;
  };
  struct Row {
    T* full = nullptr;
    std::vector<Entry> list;  // attributes ascending
  };

  // Written in vectors: left to itself, the compiler takes the sums through memory.
  template <int kRows>
  void add_rows(const T* const* rows, const T* factors, T* out) const {
    using Line = Eigen::Array<T, kLine, 1>;
    using Lines = Eigen::Map<const Line, Eigen::Aligned64>;
    [&]<std::size_t... k>(std::index_sequence<k...>) {
      const std::array row{rows[k]...};
      const std::array factor{factors[k]...};
      for (Index z = 0; z < stride_; z += kLine) {
        Line sum = Eigen::Map<const Line>(out + z);
        ((sum += factor[k] * Lines(row[k] + z)), ...);
        Eigen::Map<Line>(out + z) = sum;
      }
    }(std::make_index_sequence<kRows>());
  }

  // Adds to a weight; returns by how much its square grows.
  static T gain(T& weight, T change) {
    const T before = weight;
    weight += change;
    return (weight - before) * (weight + before);
  }

  // Several sums side by side, so that none waits for the one before.
  static double add_to_full(T* row, double factor, std::span<const AttributeChange> changes) {
    constexpr std::size_t kSums = 4;
    T growth[kSums] = {};
    std::size_t k = 0;
    for (; k + kSums <= changes.size(); k += kSums) {
      for (std::size_t t = 0; t < kSums; ++t) {
        const AttributeChange& c = changes[k + t];
        growth[t] += gain(row[c.attribute], static_cast<T>(factor * c.value));
      }
    }
    for (; k < changes.size(); ++k) {
      growth[0] += gain(row[changes[k].attribute], static_cast<T>(factor * changes[k].value));
    }
    return static_cast<double>(growth[0] + growth[1]) + static_cast<double>(growth[2] + growth[3]);
  }

  // Adds the changes to a list. Returns false and does nothing if it would become too long.
  bool merge(Row& row, double factor, std::span<const AttributeChange> changes, double& growth) {
    const Index longest = attributes_ <= kShortRow ? 0 : attributes_ / kFullShare;
    if (std::ssize(row.list) + std::ssize(changes) > longest) return false;
    std::size_t at = 0;
    for (const AttributeChange& c : changes) {
      while (at < row.list.size() && row.list[at].attribute < c.attribute) ++at;
      const T v = static_cast<T>(factor * c.value);
      if (at < row.list.size() && row.list[at].attribute == c.attribute) {
        growth += static_cast<double>(gain(row.list[at].value, v));
      } else {
        growth += static_cast<double>(v) * static_cast<double>(v);
        row.list.insert(row.list.begin() + static_cast<std::ptrdiff_t>(at), Entry{c.attribute, v});
      }
    }
    return true;
  }

  T* new_row() {
    const std::lock_guard lock(*mutex_);
    if (free_ < stride_) {
      const bool is_first = chunks_.empty();
      const Index numbers = std::max(is_first ? kFirstChunk : kChunk, stride_);
      const std::size_t bytes = static_cast<std::size_t>(numbers) * sizeof(T);
      const auto alignment = std::align_val_t(is_first ? 64 : kPage);
      chunks_.emplace_back(static_cast<T*>(::operator new(bytes, alignment)), FreeChunk{alignment});
      if (!is_first) prefer_large_pages(chunks_.back().get(), bytes);
      next_ = chunks_.back().get();
      free_ = numbers;
    }
    T* const row = next_;
    next_ += stride_;
    free_ -= stride_;
    return row;
  }
  void fill(Row& row) {
    row.full = new_row();
    std::fill_n(row.full, stride_, T(0));
    for (const Entry& e : row.list) row.full[e.attribute] = e.value;
    row.list = {};
  }

  struct FreeChunk {
    std::align_val_t alignment;
    void operator()(T* chunk) const { ::operator delete(chunk, alignment); }
  };

  Index attributes_;
  Index stride_;
  std::vector<Row> rows_;
  std::unique_ptr<std::mutex> mutex_ = std::make_unique<std::mutex>();  // of what follows
  std::deque<std::unique_ptr<T, FreeChunk>> chunks_;                    // of full rows
  T* next_ = nullptr;
  Index free_ = 0;
};

}  // namespace clade
