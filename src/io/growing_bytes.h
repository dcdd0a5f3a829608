#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <string_view>
#include <utility>

#include "core/large_memory.h"
#include "core/mapped_memory.h"

namespace clade {

// A byte array that grows in place if the system can (large blocks move pages, not bytes), and into a file beyond the
// limit of the program.
class GrowingBytes {
 public:
  GrowingBytes() = default;
  ~GrowingBytes() {
    if (!mapped_) std::free(data_);
  }
  GrowingBytes(GrowingBytes&& other) noexcept { swap(other); }
  GrowingBytes& operator=(GrowingBytes&& other) noexcept {
    swap(other);
    return *this;
  }

  // Makes room for at least `room` bytes after the content.
  char* reserve(std::size_t room) {
    if (capacity_ - size_ < room) grow(std::max(size_ + room, capacity_ + capacity_ / 2));
    return data_ + size_;
  }
  void added(std::size_t bytes) { size_ += bytes; }
  void clear() { size_ = 0; }
  void append(std::string_view bytes) {
    bytes.copy(reserve(bytes.size()), bytes.size());
    added(bytes.size());
  }

  char* data() { return data_; }
  std::size_t size() const { return size_; }
  std::string_view view() const { return {data_, size_}; }

 private:
  void grow(std::size_t capacity) {
    if (capacity < kLargeBlock) {
      void* grown = std::realloc(data_, capacity);
      if (grown == nullptr) throw std::bad_alloc();
      data_ = static_cast<char*>(grown);
    } else if (mapped_) {
      mapped_->resize(capacity);
    } else {
      auto mapped = std::make_unique<MappedMemory>();
      mapped->resize(capacity);
      view().copy(static_cast<char*>(mapped->data()), size_);
      std::free(data_);
      mapped_ = std::move(mapped);
    }
    if (mapped_) data_ = static_cast<char*>(mapped_->data());
    capacity_ = capacity;
  }

  void swap(GrowingBytes& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    std::swap(mapped_, other.mapped_);
  }

  char* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
  std::unique_ptr<MappedMemory> mapped_;  // whose memory it is, if it is large
};

}  // namespace clade
