#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "comm/team.h"

namespace clade {

// A team whose processes are threads of this one.
class LocalTeam {
 public:
  explicit LocalTeam(int size) {
    for (int rank = 0; rank < size; ++rank) members_.push_back(std::make_shared<Member>(*this, rank));
  }

  // Runs work(team) in all of them at the same time. An exception of one makes the others fail; the first one is
  // rethrown. Messages that nobody has received are an error, too.
  void run(const std::function<void(Team&)>& work) {
    std::vector<std::thread> threads;
    std::exception_ptr first;
    for (const auto& member : members_) {
      threads.emplace_back([&, own = member] {
        try {
          Team team(own);
          work(team);
        } catch (const TeamFailed&) {
        } catch (...) {
          {
            const std::lock_guard lock(mutex_);
            if (!first) first = std::current_exception();
          }
          own->fail(1, "", Cause::kOwn);
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    if (first) std::rethrow_exception(first);
    for (const auto& [box, messages] : boxes_) {
      if (!messages.empty()) throw std::logic_error("a message has not been received");
    }
  }

 private:
  class Member : public Communicator {
   public:
    Member(LocalTeam& team, int rank) : team_(team), rank_(rank), host_("host" + std::to_string(rank)) {}
    int rank() const override { return rank_; }
    int size() const override { return static_cast<int>(team_.members_.size()); }
    const std::string& host(int rank) const override { return team_.members_[static_cast<std::size_t>(rank)]->host_; }
    using Communicator::send;
    void send(std::span<const int> to, Topic topic, std::string bytes) override {
      sent_ += static_cast<double>(bytes.size() * to.size());
      const std::lock_guard lock(team_.mutex_);
      if (team_.has_failed_) throw TeamFailed(team_.status_);
      for (const int other : to) team_.boxes_[{other, topic}].emplace_back(rank_, bytes);
      team_.arrived_.notify_all();
    }
    std::string receive(int from, Topic topic) override {
      std::unique_lock lock(team_.mutex_);
      for (;;) {
        if (team_.has_failed_) throw TeamFailed(team_.status_);
        if (auto found = take(from, topic)) return std::move(found->second);
        team_.arrived_.wait(lock);
      }
    }
    std::optional<std::pair<int, std::string>> poll(Topic topic) override {
      const std::lock_guard lock(team_.mutex_);
      if (team_.has_failed_) throw TeamFailed(team_.status_);
      return take(-1, topic);
    }
    void fail(int status, const std::string& line, Cause /*cause*/) override {
      const std::lock_guard lock(team_.mutex_);
      if (team_.has_failed_) return;
      team_.has_failed_ = true;
      team_.status_ = status;
      team_.line_ = line;
      team_.arrived_.notify_all();
    }
    int failure() const override {
      const std::lock_guard lock(team_.mutex_);
      return team_.has_failed_ ? team_.status_ : 0;
    }
    double bytes_sent() const override { return sent_; }

   private:
    std::optional<std::pair<int, std::string>> take(int from, Topic topic) {
      auto& box = team_.boxes_[{rank_, topic}];
      for (auto message = box.begin(); message != box.end(); ++message) {
        if (from >= 0 && message->first != from) continue;
        auto found = std::move(*message);
        box.erase(message);
        return found;
      }
      return std::nullopt;
    }

    LocalTeam& team_;
    int rank_;
    std::string host_;
    std::atomic<double> sent_{0};
  };

  std::vector<std::shared_ptr<Member>> members_;
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::map<std::pair<int, Topic>, std::deque<std::pair<int, std::string>>> boxes_;
  bool has_failed_ = false;
  int status_ = 0;
  std::string line_;
};

}  // namespace clade
