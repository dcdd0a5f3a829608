#pragma once

#include <clade/types.h>

#include <string>

namespace clade {

// A record of the parallel loops of a run with one thread: which loop began when, and when each of its tasks ended.
// From it, bench/scaling/model.py works out how long the run would take with more threads. It is the record of a
// process, and costs nothing until it is switched on.
//
// The file has a line for each event, in order, with the nanoseconds since the record began:
//
//   loop TIME COUNT CALLER LONG   a loop of so many tasks begins; the caller is an address within the program; 1: its
//                                 tasks are long (ThreadPool::Tasks), 0: short
//   task TIME                     a task has ended
//   done TIME                     so has the loop, by its last task or by an exception
//   all TIME                      the end of the record
//
// What a task does outside of loops of its own lies between the lines. Loops of one task are not recorded.

// Begins a record. From now on, loops are recorded that this thread runs in pools with no other thread.
void record_loops();
// Ends it and writes it. Throws Error where the file cannot be written.
void write_loop_record(const std::string& file);

// While one exists, a loop is being recorded, if a record was begun.
class RecordedLoop {
 public:
  RecordedLoop(Index count, const void* caller, bool has_long_tasks);
  ~RecordedLoop();
  RecordedLoop(const RecordedLoop&) = delete;
  RecordedLoop& operator=(const RecordedLoop&) = delete;

  void end_task() const;

 private:
  bool is_recorded_;
};

}  // namespace clade
