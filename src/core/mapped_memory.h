#pragma once

#include <clade/types.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>

namespace clade {

// Memory that is taken from the system directly, begins at a page and can grow. New memory is zero. Beyond the limit of
// the program (core/large_memory.h) it is that of a file.
class MappedMemory {
 public:
  MappedMemory() = default;
  ~MappedMemory();
  MappedMemory(const MappedMemory&) = delete;
  MappedMemory& operator=(const MappedMemory&) = delete;

  // Keeps the content; the address changes. Throws std::bad_alloc.
  void resize(std::size_t bytes);

  void* data() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  void* mapped(std::size_t bytes);
  void* mapped_file(std::size_t bytes);

  void* data_ = nullptr;
  std::size_t size_ = 0;    // as asked for
  std::size_t mapped_ = 0;  // whole pages
  int file_ = -1;           // whose pages they are
};

// An array that grows without copying its elements, and becomes a Buffer at the end.
template <class T>
class GrowingArray {
 public:
  // New elements are zero.
  void resize(Index size) {
    if (size > capacity_) {
      capacity_ = std::max(size, capacity_ + capacity_ / 2);
      memory_->resize(static_cast<std::size_t>(capacity_) * sizeof(T));
    }
    size_ = size;
  }
  T* data() const { return static_cast<T*>(memory_->data()); }
  Index size() const { return size_; }

  Buffer<T> finish() && {
    memory_->resize(static_cast<std::size_t>(size_) * sizeof(T));
    const T* elements = data();
    return Buffer<T>::borrowed(elements, size_, std::move(memory_));
  }

 private:
  std::shared_ptr<MappedMemory> memory_ = std::make_shared<MappedMemory>();
  Index size_ = 0;
  Index capacity_ = 0;
};

}  // namespace clade
