#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

namespace clade {

using Index = std::int64_t;         // samples, non-zeros, anything counted
using NodeId = std::int32_t;        // a node of a taxonomy
using FeatureIndex = std::int32_t;  // a column of the data

constexpr NodeId kNoNode = -1;
constexpr FeatureIndex kMaxFeatures = 2147483647;

// A fixed-size array whose elements start uninitialised, so that the threads that fill it are the first to
// touch its memory. Movable, not copyable: feature values are never copied by accident. It begins at a multiple of 64
// bytes, so that vectorised sums over it do not depend on where memory happens to be free. A borrowed one is a view of
// memory that somebody else keeps, wherever that begins.
template <class T>
class Buffer {
 public:
  static_assert(std::is_trivially_default_constructible_v<T> && std::is_trivially_destructible_v<T>);

  Buffer() = default;
  explicit Buffer(Index size) : data_(size == 0 ? nullptr : allocated(size)), size_(size) {}
  // `owner` keeps the elements alive, which nobody may change meanwhile.
  static Buffer borrowed(const T* data, Index size, std::shared_ptr<const void> owner) {
    Buffer buffer;
    buffer.data_ = {const_cast<T*>(data), Free{std::move(owner)}};
    buffer.size_ = size;
    return buffer;
  }
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
  static constexpr std::align_val_t kAlignment{64};
  struct Free {
    std::shared_ptr<const void> owner;  // of borrowed elements; null: they are the buffer's own
    void operator()(T* data) const {
      if (!owner) ::operator delete[](data, kAlignment);
    }
  };
  static T* allocated(Index size) {
    if (size < 0 || static_cast<std::size_t>(size) > std::numeric_limits<std::ptrdiff_t>::max() / sizeof(T)) {
      throw std::bad_array_new_length();
    }
    return static_cast<T*>(::operator new[](static_cast<std::size_t>(size) * sizeof(T), kAlignment));
  }

  std::unique_ptr<T[], Free> data_;
  Index size_ = 0;
};

}  // namespace clade
