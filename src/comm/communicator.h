#pragma once

#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace clade {

// What a message is about. Messages from one process to another with the same topic arrive in the order in which they
// were sent.
enum class Topic : int {
  kCollective = 1,  // the operations of collectives.h
  kRows,            // rows or columns of the data (data/row_exchange.h)
  kSums,            // sums over blocks of rows (block_sums.h)
  kMatrix,          // what one process has computed for a node and another one needs
  kAsk,             // for tasks (tasks.h), with what came of those before: to the leader,
  kDeal,            // and from it
};

// Some process of the team has failed; the reason is on its way to the user, or was told already. `status` is the exit
// status that all end with.
class TeamFailed : public std::runtime_error {
 public:
  explicit TeamFailed(int status) : std::runtime_error("another process has failed"), status_(status) {}
  int status() const { return status_; }

 private:
  int status_;
};

// Why a process cannot go on. One that was asked to stop may have been asked because another has ended: mpirun does so.
enum class Cause { kOwn, kAskedToStop };

// The processes that work on one thing together, numbered from 0; number 0 leads. Implemented for a process that is
// alone, for MPI (mpi/) and, in tests, for threads. Any thread may call it.
class Communicator {
 public:
  Communicator() = default;
  virtual ~Communicator() = default;
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  virtual int rank() const = 0;
  virtual int size() const = 0;
  virtual const std::string& host(int rank) const = 0;

  // Never waits: what is on its way is kept here until it has arrived, once for all receivers. Any number of bytes.
  virtual void send(std::span<const int> to, Topic topic, std::string bytes) = 0;
  void send(int to, Topic topic, std::string bytes) { send(std::span<const int>(&to, 1), topic, std::move(bytes)); }
  // Waits for the next message of that process. Throws TeamFailed.
  virtual std::string receive(int from, Topic topic) = 0;
  // The next message of any process, and its number, if one is there. Throws TeamFailed.
  virtual std::optional<std::pair<int, std::string>> poll(Topic topic) = 0;

  // Says why this process cannot go on. The leader prints the first line that it is told, and all processes end with
  // its status: calls of the others throw TeamFailed from now on. Returns when that is under way.
  virtual void fail(int status, const std::string& line, Cause cause) = 0;
  // The status with which all end, if any process has failed; else 0.
  virtual int failure() const = 0;

  // Bytes that this process has sent so far, and seconds in which it waited for messages of others.
  virtual double bytes_sent() const = 0;
  virtual double seconds_waited() const { return 0; }
};

// Answers messages of the others until each of them has sent its last, or gives_up() says so: answer(from, message)
// says whether it was the last of that process.
void answer_others(Communicator& team, Topic topic, const std::function<bool()>& gives_up,
                   const std::function<bool(int from, std::string_view message)>& answer);

// A process by itself. It sends no messages.
class Alone : public Communicator {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  const std::string& host(int rank) const override;
  using Communicator::send;
  void send(std::span<const int> to, Topic topic, std::string bytes) override;
  std::string receive(int from, Topic topic) override;
  std::optional<std::pair<int, std::string>> poll(Topic topic) override;
  void fail(int /*status*/, const std::string& /*line*/, Cause /*cause*/) override {}
  int failure() const override { return 0; }
  double bytes_sent() const override { return 0; }
};

}  // namespace clade
