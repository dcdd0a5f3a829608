#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>

#include "core/thread_pool.h"

namespace clade {

// What tasks need while they run, such as buffers, kept for the tasks that follow. A thread mostly gets what it had
// before, which is in its cache, and no thread waits for another.
template <class T>
class Spares {
 public:
  explicit Spares(const ThreadPool& pool)
      : count_(static_cast<std::size_t>(pool.threads())), places_(std::make_unique<Place[]>(count_)) {}
  ~Spares() {
    while (take() != nullptr) {
    }
  }
  Spares(const Spares&) = delete;
  Spares& operator=(const Spares&) = delete;

  // Null if nothing is there.
  std::unique_ptr<T> take() {
    const auto first = static_cast<std::size_t>(ThreadPool::number_of_thread());
    for (std::size_t k = 0; k < count_; ++k) {
      std::atomic<T*>& place = places_[(first + k) % count_].content;
      if (place.load(std::memory_order_relaxed) == nullptr) continue;
      if (T* const found = place.exchange(nullptr)) return std::unique_ptr<T>(found);
    }
    return nullptr;
  }

  void give_back(std::unique_ptr<T> spare) {
    const auto first = static_cast<std::size_t>(ThreadPool::number_of_thread());
    for (std::size_t k = 0; k < count_; ++k) {
      T* expected = nullptr;
      if (places_[(first + k) % count_].content.compare_exchange_strong(expected, spare.get())) {
        static_cast<void>(spare.release());
        return;
      }
    }
  }

 private:
  struct alignas(64) Place {
    std::atomic<T*> content{nullptr};
  };

  std::size_t count_;
  std::unique_ptr<Place[]> places_;
};

}  // namespace clade
