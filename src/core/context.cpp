#include <clade/context.h>
#include <clade/error.h>

#include <algorithm>
#include <mutex>
#include <thread>

#include "core/thread_pool.h"

namespace clade {
namespace {

int thread_count(int asked) {
  if (asked < 0) throw usage_error("threads " + std::to_string(asked), "expected 0 (one per core) or more");
  if (asked > 0) return asked;
  return static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

}  // namespace

Context::Context() : Context(Options{}) {}

Context::Context(Options options)
    : options_(std::move(options)),
      threads_(thread_count(options_.threads)),
      pool_(std::make_unique<ThreadPool>(threads_)) {}

Context::~Context() = default;

void Context::log(LogLevel level, std::string_view message) const {
  if (!options_.log) return;
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  if (notes_once_ > 0 && !logged_.emplace(message).second) return;
  options_.log(level, message);
}

void Context::check_cancelled() const {
  if (cancelled()) throw Error(Error::Kind::kCancelled, {}, "stopped before the end, as asked");
}

}  // namespace clade
