#pragma once

#include <clade/context.h>

#include <memory>
#include <string>
#include <utility>

#include "comm/communicator.h"
#include "comm/shared_work.h"
#include "comm/work_folder.h"

namespace clade {

// The processes that do a piece of work together, and the folder where its finished pieces are kept, if there is one.
// What a team computes has the same bytes as what one process computes.
class Team {
 public:
  explicit Team(std::shared_ptr<Communicator> processes) : processes_(std::move(processes)) {}

  Communicator& processes() const { return *processes_; }
  int rank() const { return processes_->rank(); }
  int size() const { return processes_->size(); }
  bool leads() const { return rank() == 0; }
  // One process, which keeps and records nothing: it need not cut its work into pieces.
  bool is_alone() const { return size() == 1 && folder_ == nullptr && record_ == nullptr; }

  // Is it busy with shared tasks? What these do inside is the work of one process.
  bool is_sharing() const { return is_sharing_; }
  void set_sharing(bool is_sharing) { is_sharing_ = is_sharing; }

  // A name for the next shared tasks. All processes ask for names in the same order, and so does a run that goes on.
  std::string next_job(const std::string& name) { return std::to_string(++jobs_) + "-" + name; }

  const WorkFolder* folder() const { return folder_.get(); }
  // Notes from now on what is shared; of a team of one process, which does the work as if there were others.
  void record_work(SharedWork& record) { record_ = &record; }
  SharedWork* record() const { return record_; }

  void keep_work(std::unique_ptr<const WorkFolder> folder) { folder_ = std::move(folder); }

 private:
  std::shared_ptr<Communicator> processes_;
  std::unique_ptr<const WorkFolder> folder_;
  SharedWork* record_ = nullptr;
  bool is_sharing_ = false;
  int jobs_ = 0;
};

// As long as it lives, the team is busy with shared tasks.
class Sharing {
 public:
  explicit Sharing(Team& team) : team_(team) { team_.set_sharing(true); }
  ~Sharing() { team_.set_sharing(false); }
  Sharing(const Sharing&) = delete;
  Sharing& operator=(const Sharing&) = delete;

 private:
  Team& team_;
};

// The team to share work with at this point; null: nobody. Inside a parallel loop, and inside shared tasks, it is
// always null: only the thread that all processes have in the same place can speak for its process.
Team* team_of(Context& ctx);

}  // namespace clade
