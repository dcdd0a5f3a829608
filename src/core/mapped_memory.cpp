#include "core/mapped_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "core/large_memory.h"

namespace clade {

MappedMemory::~MappedMemory() {
  resize(0);
  if (file_ >= 0) ::close(file_);
}

// What is in memory moves to a file.
void* MappedMemory::mapped_file(std::size_t bytes) {
  const int file = make_nameless_file(bytes);
  if (file < 0) return MAP_FAILED;
  void* data = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (data == MAP_FAILED) {
    ::close(file);
    return MAP_FAILED;
  }
  if (data_ != nullptr) {
    std::memcpy(data, data_, std::min(bytes, mapped_));
    ::munmap(data_, mapped_);
    count_large_block(-static_cast<std::ptrdiff_t>(mapped_));
  }
  file_ = file;
  return data;
}

// Whole pages with the content so far, which may lie elsewhere now.
void* MappedMemory::mapped(std::size_t bytes) {
  if (file_ >= 0) {
    if (bytes > mapped_ && !grow_nameless_file(file_, bytes)) return MAP_FAILED;
    void* data = data_ == nullptr ? ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0)
                                  : ::mremap(data_, mapped_, bytes, MREMAP_MAYMOVE);
    if (bytes < mapped_ && data != MAP_FAILED && ::ftruncate(file_, static_cast<off_t>(bytes)) != 0) return MAP_FAILED;
    return data;
  }
  const std::size_t more = bytes > mapped_ ? bytes - mapped_ : 0;
  if (more > 0 && bytes >= kLargeBlock && is_beyond_limit(more)) {
    void* data = mapped_file(bytes);
    if (data != MAP_FAILED || !fits_below_limit(more)) return data;
  }
  void* data = data_ == nullptr ? ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                                : ::mremap(data_, mapped_, bytes, MREMAP_MAYMOVE);
  if (data == MAP_FAILED) return more > 0 ? mapped_file(bytes) : data;
#ifdef MADV_HUGEPAGE
  // All of it: a mapping whose parts are treated differently could not grow.
  if (bytes >= kLargeBlock) ::madvise(data, bytes, MADV_HUGEPAGE);
#endif
  count_large_block(static_cast<std::ptrdiff_t>(bytes) - static_cast<std::ptrdiff_t>(mapped_));
  return data;
}

void MappedMemory::resize(std::size_t bytes) {
  static const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const std::size_t whole = (bytes + page - 1) / page * page;
  if (whole < bytes) throw std::bad_alloc();
  if (whole == 0 && data_ != nullptr) {
    ::munmap(data_, mapped_);
    if (file_ < 0) count_large_block(-static_cast<std::ptrdiff_t>(mapped_));
    data_ = nullptr;
  } else if (whole != mapped_) {
    void* data = mapped(whole);
    if (data == MAP_FAILED) throw std::bad_alloc();
    data_ = data;
  }
  mapped_ = whole;
  size_ = bytes;
}

}  // namespace clade
