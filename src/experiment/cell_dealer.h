#pragma once

#include <clade/context.h>
#include <clade/types.h>

#include <chrono>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "comm/communicator.h"
#include "core/progress.h"
#include "experiment/cell_result.h"
#include "experiment/journal.h"
#include "experiment/prediction_files.h"

namespace clade {

// Collects the notes of cells for the thread that may pass them on: one context cannot log from inside another.
class CellNotes {
 public:
  using Note = std::pair<LogLevel, std::string>;

  void add(LogLevel level, std::string_view text);
  std::vector<Note> take();

 private:
  std::mutex mutex_;
  std::vector<Note> waiting_;
};

// Where the workers of a process get their cells from, and bring what these found.
class CellSource {
 public:
  CellSource() = default;
  virtual ~CellSource() = default;
  CellSource(const CellSource&) = delete;
  CellSource& operator=(const CellSource&) = delete;

  // The next cell that is to be run, in ascending order; -1: there are no more. Called by one worker at a time.
  virtual Index next() = 0;
  // Called by any thread, once for each cell that has a result.
  virtual void hand_in(Index cell, CellResult result) = 0;
  // What a cell has to say; called by any thread.
  void note(LogLevel level, std::string_view text) { notes_.add(level, text); }
  // Called by a thread of its own, beside the workers: answers other processes until they have all ended.
  virtual void serve(const CancelToken& cancel) = 0;
  // Called again and again by the thread that has the context, and once after serve() and the last worker have ended.
  virtual void attend() = 0;

 protected:
  CellNotes notes_;
};

// Deals out cells to the workers of this process, and to other processes if it leads some, and keeps what they find.
class CellDealer : public CellSource {
 public:
  // `pending`: the cells that are to be run, ascending; `results` has a place for every cell. All must outlive this.
  CellDealer(const std::vector<Index>& pending, const PredictionFiles& predictions, Journal& journal,
             std::vector<CellResult>& results, Context& ctx);

  Index next() override;
  void hand_in(Index cell, CellResult result) override;
  void serve(const CancelToken& cancel) override;
  void attend() override;

 private:
  bool answer(int from, std::string_view message);

  const std::vector<Index>& pending_;
  const PredictionFiles& predictions_;
  Journal& journal_;
  std::vector<CellResult>& results_;
  Context& ctx_;
  Context::NotesOnce once_;  // each note, from whatever cells it comes
  Communicator* processes_;  // null: this one alone
  Progress progress_;
  std::chrono::steady_clock::time_point saved_;

  std::mutex mutex_;
  std::size_t next_ = 0;
  std::vector<Index> finished_;  // and not yet in the journal
};

// The cells that the leader deals out to this process, which sends it what they find.
class DealtCells : public CellSource {
 public:
  explicit DealtCells(Communicator& processes) : processes_(processes) {}

  Index next() override;
  void hand_in(Index cell, CellResult result) override;
  void serve(const CancelToken& /*cancel*/) override {}
  void attend() override;
  // Tells the leader that nothing more will come.
  void end();

 private:
  Communicator& processes_;
};

}  // namespace clade
