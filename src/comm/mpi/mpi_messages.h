#pragma once

#include <mpi.h>

#include <atomic>
#include <functional>
#include <list>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace clade {

// Messages of any length by MPI, which is called by one thread at a time and never waits inside: every operation is
// begun and then asked after, so that failures of other processes are noticed meanwhile. Any thread may call it.
class MpiMessages {
 public:
  // `gives_up`: should the calling thread no longer wait for the rest of a message?
  explicit MpiMessages(std::function<bool()> gives_up);

  MPI_Comm world() const { return world_; }

  // Never waits: the bytes stay here until they have arrived, once for all receivers.
  void send(std::span<const int> receivers, int tag, std::string bytes);
  void send(int to, int tag, std::string bytes) { send(std::span<const int>(&to, 1), tag, std::move(bytes)); }
  // The next message, and who has sent it, if its first part is there; `from` may be MPI_ANY_SOURCE. Messages of one
  // process and tag are taken by one thread at a time. Nothing if it was given up, or the network has failed.
  std::optional<std::pair<int, std::string>> next(int from, int tag);
  // Moves what is on its way. Is something still on its way to others?
  bool progress();
  bool has_outgoing();

  // Lets some time pass, longer and longer with every turn, so that processes that share a core do not take it from
  // those that work; but not much while bytes are on their way, because MPI moves them only when it is called.
  void pause(int turn);

  // What has failed; empty: nothing.
  std::string problem();

  // Ends all processes, by the one that has started them.
  [[noreturn]] void abort(int status);

 private:
  // What is on its way; the bytes stay until they have arrived.
  struct Outgoing {
    std::string first;
    std::string bytes;
    std::vector<MPI_Request> requests;
  };
  // MPI writes into these parts of a message until they have arrived. The first is small.
  struct Incoming {
    std::string first;
    std::string bytes;
  };

  void check(int code);
  bool arrives(MPI_Request& request);
  std::nullopt_t abandon(std::list<Incoming>& in);

  std::function<bool()> gives_up_;
  MPI_Comm world_ = MPI_COMM_NULL;
  std::mutex mutex_;  // of MPI, and of what follows
  std::list<Outgoing> outgoing_;
  std::list<Incoming> abandoned_;
  std::string problem_;
  std::atomic<int> receiving_{0};  // threads that wait for the rest of a message
};

}  // namespace clade
