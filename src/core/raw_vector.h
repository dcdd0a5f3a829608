#pragma once

#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace clade {

// Leaves new elements uninitialised where std::allocator would set them to 0.
template <class T>
struct RawAllocator : std::allocator<T> {
  static_assert(std::is_trivially_default_constructible_v<T>);
  template <class U>
  struct rebind {  // NOLINT(readability-identifier-naming): the name that allocators have
    using other = RawAllocator<U>;
  };
  using std::allocator<T>::allocator;

  template <class U>
  void construct(U* element) noexcept {
    ::new (static_cast<void*>(element)) U;
  }
  template <class U, class... Arguments>
  void construct(U* element, Arguments&&... arguments) {
    std::construct_at(element, std::forward<Arguments>(arguments)...);
  }
};

// A vector whose resize() does not touch the memory of new numbers: the threads that fill it do, side by side.
template <class T>
using RawVector = std::vector<T, RawAllocator<T>>;

}  // namespace clade
