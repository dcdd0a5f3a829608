#include "comm/mpi/mpi_messages.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

namespace clade {
namespace {

// A message is a first part with its length and the beginning of its bytes, and further parts of at most kPart: MPI
// counts bytes by an int.
constexpr std::size_t kFirst = std::size_t{64} << 10U;
constexpr std::size_t kPart = std::size_t{1} << 30U;
constexpr int kRest = 100;  // added to the tag of further parts

// Counts threads that receive a message, as long as it lives.
class Receiving {
 public:
  explicit Receiving(std::atomic<int>& count) : count_(count) { ++count_; }
  ~Receiving() { --count_; }
  Receiving(const Receiving&) = delete;
  Receiving& operator=(const Receiving&) = delete;

 private:
  std::atomic<int>& count_;
};

}  // namespace

MpiMessages::MpiMessages(std::function<bool()> gives_up) : gives_up_(std::move(gives_up)) {
  MPI_Comm_dup(MPI_COMM_WORLD, &world_);
  MPI_Comm_set_errhandler(world_, MPI_ERRORS_RETURN);
}

// Under the lock, like all that calls MPI.
void MpiMessages::check(int code) {
  if (code == MPI_SUCCESS || !problem_.empty()) return;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  problem_ = "the network: " + std::string(text.data(), static_cast<std::size_t>(length));
}

std::string MpiMessages::problem() {
  const std::lock_guard lock(mutex_);
  return problem_;
}

void MpiMessages::abort(int status) {
  const std::lock_guard lock(mutex_);
  std::fflush(nullptr);
  MPI_Abort(world_, status);
  std::abort();  // MPI_Abort does not return
}

void MpiMessages::send(std::span<const int> receivers, int tag, std::string bytes) {
  const std::lock_guard lock(mutex_);
  outgoing_.emplace_back();
  Outgoing& out = outgoing_.back();
  const std::uint64_t size = bytes.size();
  const std::size_t begin = std::min(bytes.size(), kFirst);
  out.first.assign(reinterpret_cast<const char*>(&size), sizeof(size));
  out.first.append(bytes, 0, begin);
  if (size > begin) out.bytes = std::move(bytes);
  const auto add = [&](int to, const char* data, std::size_t count, int own_tag) {
    out.requests.emplace_back();
    check(MPI_Isend(data, static_cast<int>(count), MPI_BYTE, to, own_tag, world_, &out.requests.back()));
  };
  for (const int to : receivers) {
    add(to, out.first.data(), out.first.size(), tag);
    for (std::size_t at = begin; at < size; at += kPart)
      add(to, out.bytes.data() + at, std::min(kPart, size - at), tag + kRest);
  }
}

bool MpiMessages::progress() {
  const std::lock_guard lock(mutex_);
  std::erase_if(outgoing_, [&](Outgoing& out) {
    int done = 0;
    check(MPI_Testall(static_cast<int>(out.requests.size()), out.requests.data(), &done, MPI_STATUSES_IGNORE));
    return done != 0;
  });
  return !outgoing_.empty();
}

bool MpiMessages::has_outgoing() {
  const std::lock_guard lock(mutex_);
  return !outgoing_.empty();
}

void MpiMessages::pause(int turn) {
  constexpr int kYields = 20;
  constexpr int kStep = 20;
  constexpr int kLongest = 1000;
  constexpr int kLongestOfTransfer = 40;
  const bool is_sending = progress();
  if (turn < kYields) return std::this_thread::yield();
  const int longest = is_sending || receiving_ > 0 ? kLongestOfTransfer : kLongest;
  std::this_thread::sleep_for(std::chrono::microseconds(std::min(longest, kStep * (turn + 1 - kYields))));
}

std::optional<std::pair<int, std::string>> MpiMessages::next(int from, int tag) {
  MPI_Message handle{};
  MPI_Status status{};
  int count = 0;
  {
    const std::lock_guard lock(mutex_);
    int is_there = 0;
    check(MPI_Improbe(from, tag, world_, &is_there, &handle, &status));
    if (is_there == 0) return std::nullopt;
    MPI_Get_count(&status, MPI_BYTE, &count);
  }
  std::list<Incoming> in(1, {std::string(static_cast<std::size_t>(count), '\0'), {}});
  auto& [first, bytes] = in.front();
  MPI_Request request{};
  {
    const std::lock_guard lock(mutex_);
    check(MPI_Imrecv(first.data(), count, MPI_BYTE, &handle, &request));
  }
  if (!arrives(request)) return abandon(in);
  std::uint64_t size = 0;
  std::memcpy(&size, first.data(), sizeof(size));
  bytes = first.substr(sizeof(size));
  const std::size_t begin = bytes.size();
  bytes.resize(size);
  for (std::size_t at = begin; at < size; at += kPart) {
    {
      const std::lock_guard lock(mutex_);
      check(MPI_Irecv(bytes.data() + at, static_cast<int>(std::min(kPart, size - at)), MPI_BYTE, status.MPI_SOURCE,
                      tag + kRest, world_, &request));
    }
    if (!arrives(request)) return abandon(in);
  }
  return std::pair(status.MPI_SOURCE, std::move(bytes));
}

// MPI may still write into it, so it stays until the process ends.
std::nullopt_t MpiMessages::abandon(std::list<Incoming>& in) {
  const std::lock_guard lock(mutex_);
  abandoned_.splice(abandoned_.end(), in);
  return std::nullopt;
}

// Waits for a part of a message that has begun to arrive. False: it was given up, or the network has failed meanwhile.
bool MpiMessages::arrives(MPI_Request& request) {
  const Receiving receiving(receiving_);
  for (int turn = 0;; ++turn) {
    int done = 0;
    {
      const std::lock_guard lock(mutex_);
      check(MPI_Test(&request, &done, MPI_STATUS_IGNORE));
      if (!problem_.empty()) return false;
    }
    if (done != 0) return true;
    if (gives_up_()) return false;
    pause(turn);
  }
}

}  // namespace clade
