#include "comm/mpi/mpi_plugin.h"

#include <clade/version.h>
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "comm/mpi/deadline.h"
#include "comm/mpi/local_peers.h"
#include "comm/mpi/mpi_messages.h"

namespace clade {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kNotice = 200;  // the tag of signs of life and failures, which the watcher sends and hears

int tag_of(Topic topic) {
  return static_cast<int>(topic);
}

enum class Notice : std::uint8_t { kAlive, kAsked, kFailed, kEnd };

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Temporary files were removed before; nothing else has to be done in order.
[[noreturn]] void end_process(int status) {
  std::fflush(nullptr);
  ::_exit(status);
}

// The others wait for ever as well, and are ended with the first that says so.
void end_late(const MpiStart& start, const std::string& problem, double seconds) {
  start.print(start.place + ": " + problem + " within " + std::to_string(static_cast<int>(seconds)) +
              " s; one of them was stopped, or the network fails");
  end_process(1);
}

// Where processes cannot read each other's memory, Open MPI has three pieces of a long message on their way at a time,
// and sends the next ones when it is called. That is now and then, while both sides work; so there should be more of
// them. A user's own choice stays.
void ask_for_long_messages() {
  constexpr int kKeepOld = 0;
  ::setenv("OMPI_MCA_pml_ob1_send_pipeline_depth", "16", kKeepOld);
}

class MpiTeam : public Communicator {
 public:
  explicit MpiTeam(MpiStart start) : start_(std::move(start)) {
    MPI_Comm_rank(messages_.world(), &rank_);
    MPI_Comm_size(messages_.world(), &size_);
    exchange_places();
    last_seen_.assign(static_cast<std::size_t>(size_), Clock::now());
    asked_.assign(static_cast<std::size_t>(size_), 0);
    try {
      watcher_ = std::thread([this] { watch(); });
    } catch (const std::system_error& error) {
      end_without_watcher(place(rank_) + ": a thread cannot be started: " + error.what());
    }
  }

  ~MpiTeam() override {
    while (!has_failed() && messages_.has_outgoing()) messages_.pause(0);
    stops_ = true;
    watcher_.join();
    if (has_failed()) end();
    local_.reset();
    const Deadline deadline(start_.parting,
                            [this] { end_late(start_, "the processes have not parted", start_.parting); });
    MPI_Finalize();
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  const std::string& host(int rank) const override { return hosts_[static_cast<std::size_t>(rank)]; }

  using Communicator::send;
  void send(std::span<const int> to, Topic topic, std::string bytes) override {
    require_team();
    sent_ += static_cast<double>(bytes.size() * to.size());
    messages_.send(to, tag_of(topic), std::move(bytes));
  }

  std::string receive(int from, Topic topic) override {
    const auto begin = Clock::now();
    for (int turn = 0;; ++turn) {
      require_team();
      if (auto message = messages_.next(from, tag_of(topic))) {
        waited_ = waited_ + seconds_since(begin);
        return std::move(message->second);
      }
      messages_.pause(turn);
    }
  }

  std::optional<std::pair<int, std::string>> poll(Topic topic) override {
    require_team();
    return messages_.next(MPI_ANY_SOURCE, tag_of(topic));
  }

  void fail(int status, const std::string& line, Cause cause) override {
    // The leader says so to all. If it does not answer, this process speaks for itself.
    constexpr double kAnswer = 5;
    if (cause == Cause::kAskedToStop) await_failure(kAnswer);  // the watchers find out why
    if (has_failed()) return;
    if (rank_ == 0) return end_all(status, line);
    report(status, line);
    await_failure(kAnswer);
    if (!has_failed()) end_all(status, line);
  }

  int failure() const override { return has_failed() ? status_.load() : 0; }
  double bytes_sent() const override { return sent_; }
  double seconds_waited() const override { return waited_; }

 private:
  bool has_failed() const { return failed_.load(); }
  void require_team() const {
    if (has_failed()) throw TeamFailed(status_);
  }

  std::string place(int rank) const { return "rank " + std::to_string(rank) + " on " + host(rank); }

  void await_failure(double seconds) {
    const auto begin = Clock::now();
    for (int turn = 0; !has_failed() && seconds_since(begin) < seconds; ++turn) messages_.pause(turn);
  }

  void exchange_places() {
    const ProcessPlace own = own_place();
    std::vector<ProcessPlace> all(static_cast<std::size_t>(size_));
    MPI_Allgather(&own, sizeof(own), MPI_BYTE, all.data(), sizeof(own), MPI_BYTE, messages_.world());
    for (const ProcessPlace& place : all) hosts_.emplace_back(place.host.data());
    local_ = std::make_unique<LocalPeers>(all, rank_);
  }

  static std::string notice(Notice what, int status, const std::string& line) {
    std::string text(1, static_cast<char>(what));
    text += static_cast<char>(status);
    return text + line;
  }

  void send_notice(int to, std::string text) { messages_.send(to, kNotice, std::move(text)); }
  void report(int status, const std::string& line) { send_notice(0, notice(Notice::kFailed, status, line)); }

  // The leader's word, or that of a process which has lost the leader.
  void end_all(int status, const std::string& line) {
    if (is_ending_.exchange(true)) return;
    for (int other = 0; other < size_; ++other) {
      if (other != rank_) send_notice(other, notice(Notice::kEnd, status, line));
    }
    start_.print(line);
    // Those that can be told are told.
    constexpr double kTelling = 2;
    const auto begin = Clock::now();
    for (int turn = 0; messages_.has_outgoing() && seconds_since(begin) < kTelling; ++turn) messages_.pause(turn);
    give_up(status);
  }

  void give_up(int status) {
    status_ = status;
    {
      // The watcher ends the process some time after this, and may see the failure at once.
      const std::lock_guard lock(mutex_);
      if (has_failed()) return;
      failed_at_ = Clock::now();
      failed_ = true;
    }
    start_.give_up();
  }

  // Tells the others that this process is alive, hears of failures, and ends the process if the work cannot be stopped.
  void watch() {
    constexpr double kSign = 1;  // seconds between signs of life
    auto signed_at = Clock::now();
    while (!stops_) {
      send_meanwhile();
      note_own_stop();
      hear();
      if (has_failed()) {
        if (seconds_since(failed_at_) > start_.patience) end();
        continue;
      }
      if (seconds_since(signed_at) > kSign) {
        signed_at = Clock::now();
        give_signs();
      }
      check_ends();
      check_asked();
      check_silence();
      check_network();
    }
  }

  // Until it is time to look after the others: sends what is on its way, while the other threads are busy with their
  // own work.
  void send_meanwhile() {
    constexpr auto kLook = std::chrono::milliseconds(10);
    constexpr auto kStep = std::chrono::microseconds(100);
    const auto end = Clock::now() + kLook;
    while (Clock::now() < end) {
      if (messages_.progress()) {
        std::this_thread::sleep_for(kStep);
      } else {
        std::this_thread::sleep_for(std::min<Clock::duration>(kLook / 5, end - Clock::now()));
      }
    }
  }

  // The silence of others while this process itself was stopped is none of theirs.
  void note_own_stop() {
    constexpr auto kStopped = std::chrono::seconds(1);
    const auto now = Clock::now();
    const auto gap = now - looked_at_;
    looked_at_ = now;
    if (gap < kStopped) return;
    for (Clock::time_point& seen : last_seen_) seen += std::min(gap, now - seen);
  }

  void give_signs() {
    const auto sign = [&](int to) { send_notice(to, notice(Notice::kAlive, 0, {})); };
    if (rank_ != 0) return sign(0);
    for (int other = 1; other < size_; ++other) sign(other);
  }

  void hear() {
    while (auto message = messages_.next(MPI_ANY_SOURCE, kNotice)) {
      const auto& [from, text] = *message;
      last_seen_[static_cast<std::size_t>(from)] = Clock::now();
      const int status = text[1];
      switch (static_cast<Notice>(text[0])) {
        case Notice::kAlive:
          break;
        case Notice::kAsked:
          if (from == 0) {
            give_signs();
          } else {
            note_asked(from);
          }
          break;
        case Notice::kFailed:
          end_all(status, text.substr(2));
          break;
        case Notice::kEnd:
          give_up(status);
          break;
      }
    }
  }

  // A process that ends because all do has told the others, or they have been told as it was: they hear of that first.
  void check_ends() {
    constexpr double kHearing = 0.2;
    if (!ended_at_) {
      const std::vector<int> ended = local_->ended();
      if (ended.empty()) return;
      ended_at_ = Clock::now();
      ended_ = ended.front();
    }
    if (is_reported_ || seconds_since(*ended_at_) < kHearing) return;
    is_reported_ = true;
    const std::string line = place(ended_) + " has ended before the work was done: " + kEnds;
    if (rank_ == 0 || (ended_ == 0 && local_->first_living() == rank_)) return end_all(kLost, line);
    if (ended_ != 0) report(kLost, line);
  }

  void note_asked(int rank) {
    asked_[static_cast<std::size_t>(rank)] = 1;
    if (asked_at_) return;
    asked_at_ = Clock::now();
    first_asked_ = rank;
  }

  // If a process has ended, mpirun asks the others to stop, and kills them a second later. All that live tell the
  // leader that they were asked, which so finds out who does not; but perhaps only the leader was asked, so it asks
  // them for a sign of life, too. The first of the others finds out about the leader.
  void check_asked() {
    constexpr double kLeader = 0.4;
    constexpr double kNext = 0.7;
    if (size_ == 1) return;
    if (asked_[static_cast<std::size_t>(rank_)] == 0 && start_.was_asked()) {
      note_asked(rank_);
      for (int other = 0; other < (rank_ == 0 ? size_ : 1); ++other) {
        if (other != rank_) send_notice(other, notice(Notice::kAsked, 0, {}));
      }
    }
    if (rank_ > 1 || !asked_at_ || seconds_since(*asked_at_) < (rank_ == 0 ? kLeader : kNext)) return;
    const bool all_were = rank_ == 0 && asked_[0] != 0;
    int silent = 0;
    const auto answers = [&](int other) {
      const auto at = static_cast<std::size_t>(other);
      return asked_[at] != 0 || last_seen_[at] > *asked_at_;
    };
    while (rank_ == 0 && silent < size_ && answers(silent)) ++silent;
    const bool one_is_lost = rank_ == 1 || (all_were && silent < size_);
    end_all(kLost, one_is_lost ? place(silent) + " does not answer since all were asked to stop: " + kEnds
                               : place(first_asked_) + ": stopped before the end, as asked");
  }

  // The leader looks at all, the others at the leader; of these the first speaks.
  void check_silence() {
    for (int other = rank_ == 0 ? 1 : 0; other < (rank_ == 0 ? size_ : 1); ++other) {
      const auto seen = last_seen_[static_cast<std::size_t>(other)];
      const double silence = std::chrono::duration<double>(looked_at_ - seen).count();
      // The others speak if the first of them is lost, too.
      const double limit = start_.silence + (rank_ > 1 ? 3 : 0);
      if (silence < limit) continue;
      lose(place(other) + " has given no sign of life for " + std::to_string(static_cast<int>(silence)) +
           " s; it was stopped, or its host is lost");
      return;
    }
  }

  void check_network() {
    const std::string problem = messages_.problem();
    if (!problem.empty()) lose(place(rank_) + ": " + problem);
  }

  static constexpr const char* kEnds = "it was killed, perhaps for want of memory, or has crashed";

  // Processes that do not answer are ended by the one that has started them.
  void lose(const std::string& line) {
    has_lost_ = true;
    end_all(kLost, line);
  }

  // Others may have ended without a word: MPI_Finalize could wait for ever.
  [[noreturn]] void end() {
    start_.remove_temporary_files();
    if (has_lost_) messages_.abort(status_);
    end_process(status_);
  }

  // Tells the others, and hears of it, as the watcher would.
  [[noreturn]] void end_without_watcher(const std::string& line) {
    constexpr double kAnswer = 5;
    if (rank_ == 0) end_all(kLost, line);
    if (rank_ != 0) report(kLost, line);
    const auto begin = Clock::now();
    for (int turn = 0; !has_failed() && seconds_since(begin) < kAnswer; ++turn) {
      messages_.pause(turn);
      hear();
    }
    start_.remove_temporary_files();
    end_process(kLost);
  }

  static constexpr int kLost = 1;  // exit status

  MpiStart start_;
  // The watcher must hear why the team has failed.
  MpiMessages messages_{[this] { return has_failed() && std::this_thread::get_id() != watcher_.get_id(); }};
  int rank_ = 0;
  int size_ = 1;
  std::vector<std::string> hosts_;

  std::mutex mutex_;  // of how it ends
  std::atomic<bool> is_ending_{false};
  std::atomic<double> sent_{0};
  std::atomic<double> waited_{0};  // of the thread that speaks for the process

  std::unique_ptr<LocalPeers> local_;
  // The watcher's.
  std::vector<Clock::time_point> last_seen_;
  Clock::time_point looked_at_ = Clock::now();
  std::vector<char> asked_;  // to stop, by rank
  std::optional<Clock::time_point> asked_at_;
  int first_asked_ = 0;
  std::optional<Clock::time_point> ended_at_;
  int ended_ = 0;
  bool is_reported_ = false;

  std::atomic<bool> has_lost_{false};
  std::atomic<bool> failed_{false};
  std::atomic<int> status_{1};
  Clock::time_point failed_at_;
  std::atomic<bool> stops_{false};
  std::thread watcher_;
};

}  // namespace
}  // namespace clade

extern "C" const char* clade_mpi_version() {
  return CLADE_VERSION;
}

extern "C" clade::Communicator* clade_mpi_start(const clade::MpiStart& start, std::string& problem) {
  try {
    // Until they have exchanged their first messages.
    const clade::Deadline deadline(start.meeting,
                                   [&] { clade::end_late(start, "the processes have not met", start.meeting); });
    clade::ask_for_long_messages();
    int provided = 0;
    if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided) != MPI_SUCCESS) {
      problem = "MPI_Init failed";
      return nullptr;
    }
    if (provided < MPI_THREAD_SERIALIZED) {
      problem = "this MPI cannot be called by several threads in turn (MPI_THREAD_SERIALIZED)";
      return nullptr;
    }
    return new clade::MpiTeam(start);
  } catch (const std::system_error& error) {
    problem = std::string("a thread cannot be started: ") + error.what();
    return nullptr;
  }
}
