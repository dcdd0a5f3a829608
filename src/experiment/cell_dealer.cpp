#include "experiment/cell_dealer.h"

#include <cstdint>

#include "comm/team.h"
#include "core/byte_string.h"
#include "core/check.h"
#include "core/stopwatch.h"

namespace clade {
namespace {

// What a process tells the leader; a number (Topic::kDeal) answers the first.
enum class CellMessage : std::uint8_t { kNext, kResult, kNote, kEnd };

Communicator* others_of(Context& ctx) {
  Team* const team = team_of(ctx);
  return team != nullptr && team->size() > 1 ? &team->processes() : nullptr;
}

}  // namespace

void CellNotes::add(LogLevel level, std::string_view text) {
  if (level == LogLevel::kDebug) return;
  const std::lock_guard lock(mutex_);
  waiting_.emplace_back(level, text);
}

std::vector<CellNotes::Note> CellNotes::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(waiting_, {});
}

CellDealer::CellDealer(const std::vector<Index>& pending, const PredictionFiles& predictions, Journal& journal,
                       std::vector<CellResult>& results, Context& ctx)
    : pending_(pending),
      predictions_(predictions),
      journal_(journal),
      results_(results),
      ctx_(ctx),
      once_(ctx),
      processes_(others_of(ctx)),
      progress_(ctx, "cells", std::ssize(pending)),
      saved_(std::chrono::steady_clock::now()) {}

Index CellDealer::next() {
  const std::lock_guard lock(mutex_);
  return next_ < pending_.size() ? pending_[next_++] : -1;
}

void CellDealer::hand_in(Index cell, CellResult result) {
  // The file is there before the cell counts as done.
  if (!result.predictions.empty()) {
    result.predictions_hash = predictions_.keep(cell, std::exchange(result.predictions, {}));
  }
  {
    const std::lock_guard lock(mutex_);
    results_[static_cast<std::size_t>(cell)] = std::move(result);
    finished_.push_back(cell);
  }
  progress_.advance();
}

void CellDealer::serve(const CancelToken& cancel) {
  if (processes_ == nullptr) return;
  answer_others(
      *processes_, Topic::kAsk, [&] { return cancel.cancelled(); },
      [&](int from, std::string_view message) { return answer(from, message); });
}

// Was this the last message of that process?
bool CellDealer::answer(int from, std::string_view message) {
  ByteReader bytes(message);
  switch (bytes.get<CellMessage>()) {
    case CellMessage::kNext:
      processes_->send(from, Topic::kDeal, ByteWriter().put(next()).take());
      return false;
    case CellMessage::kResult: {
      const auto cell = bytes.get<Index>();
      CellResult result = parse_cell_result(bytes.get<std::string>());
      bytes.get(result.predictions);
      hand_in(cell, std::move(result));
      return false;
    }
    case CellMessage::kNote: {
      const auto level = bytes.get<LogLevel>();
      note(level, bytes.bytes());
      return false;
    }
    case CellMessage::kEnd:
      return true;
  }
  CLADE_CHECK(false);
  return true;
}

// Many small cells are kept together, for each alone would take as long to keep as some take to run.
void CellDealer::attend() {
  constexpr double kUnsaved = 1;  // seconds until the disk has it
  for (const auto& [level, text] : notes_.take()) ctx_.log(level, text);
  std::vector<Index> finished;
  {
    const std::lock_guard lock(mutex_);
    finished = std::exchange(finished_, {});
  }
  std::vector<std::pair<Index, std::string>> texts;
  for (const Index k : finished) texts.emplace_back(k, cell_result_text(results_[static_cast<std::size_t>(k)]));
  if (!texts.empty()) journal_.keep(texts);
  if (seconds_since(saved_) < kUnsaved) return;
  journal_.save();
  saved_ = std::chrono::steady_clock::now();
}

Index DealtCells::next() {
  processes_.send(0, Topic::kAsk, ByteWriter().put(CellMessage::kNext).take());
  return ByteReader(processes_.receive(0, Topic::kDeal)).get<Index>();
}

void DealtCells::hand_in(Index cell, CellResult result) {
  ByteWriter bytes;
  bytes.put(CellMessage::kResult).put(cell).put(cell_result_text(result)).put(result.predictions);
  processes_.send(0, Topic::kAsk, bytes.take());
}

void DealtCells::attend() {
  for (const auto& [level, text] : notes_.take()) {
    processes_.send(0, Topic::kAsk, ByteWriter().put(CellMessage::kNote).put(level).put(text).take());
  }
}

void DealtCells::end() {
  processes_.send(0, Topic::kAsk, ByteWriter().put(CellMessage::kEnd).take());
}

}  // namespace clade
