#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

namespace clade {

using Index = std::int64_t;         // samples, non-zeros, anything counted
using NodeId = std::int32_t;        // a node of a taxonomy
using FeatureIndex = std::int32_t;  // a column of the data

constexpr NodeId kNoNode = -1;
constexpr FeatureIndex kMaxFeatures = 2147483647;

// A fixed-size array whose elements start uninitialised, so that the threads that fill it are the first to
// touch its memory. Movable, not copyable: feature values are never copied by accident.
template <class T>
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(Index size)
      : data_(size == 0 ? nullptr : std::make_unique_for_overwrite<T[]>(static_cast<std::size_t>(size))), size_(size) {}
  Buffer(Buffer&& other) noexcept : data_(std::move(other.data_)), size_(std::exchange(other.size_, 0)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    data_ = std::move(other.data_);
    size_ = std::exchange(other.size_, 0);
    return *this;
  }

  Index size() const { return size_; }
  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  T& operator[](Index i) { return data_[static_cast<std::size_t>(i)]; }
  const T& operator[](Index i) const { return data_[static_cast<std::size_t>(i)]; }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }
  std::span<const T> span() const { return {data(), static_cast<std::size_t>(size_)}; }
  std::span<T> span() { return {data(), static_cast<std::size_t>(size_)}; }

 private:
  std::unique_ptr<T[]> data_;
  Index size_ = 0;
};

}  // namespace clade
