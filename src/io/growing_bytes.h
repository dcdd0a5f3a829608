#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <string_view>
#include <utility>

namespace clade {

// A byte array that grows in place if the system can (realloc of large blocks moves pages, not bytes).
class GrowingBytes {
 public:
  GrowingBytes() = default;
  ~GrowingBytes() { std::free(data_); }
  GrowingBytes(GrowingBytes&& other) noexcept { swap(other); }
  GrowingBytes& operator=(GrowingBytes&& other) noexcept {
    swap(other);
    return *this;
  }

  // Makes room for at least `room` bytes after the content.
  char* reserve(std::size_t room) {
    if (capacity_ - size_ < room) {
      const std::size_t capacity = std::max(size_ + room, capacity_ + capacity_ / 2);
      void* grown = std::realloc(data_, capacity);
      if (grown == nullptr) throw std::bad_alloc();
      data_ = static_cast<char*>(grown);
      capacity_ = capacity;
    }
    return data_ + size_;
  }
  void added(std::size_t bytes) { size_ += bytes; }
  void append(std::string_view bytes) {
    bytes.copy(reserve(bytes.size()), bytes.size());
    added(bytes.size());
  }

  char* data() { return data_; }
  std::size_t size() const { return size_; }
  std::string_view view() const { return {data_, size_}; }

 private:
  void swap(GrowingBytes& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }

  char* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace clade
