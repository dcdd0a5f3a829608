#pragma once

#include <clade/context.h>
#include <clade/io.h>
#include <clade/parameters.h>
#include <clade/select.h>
#include <clade/train.h>
#include <clade/types.h>

#include <string>
#include <variant>
#include <vector>

namespace clade {

// What a long piece of work will take, on one process or on several that share it, before it is begun.

struct PlanOptions {
  int ranks = 1;       // plan for up to so many processes
  double budget = 60;  // seconds for trials; the first three are made in any case
};
void describe(ParameterTable& v, PlanOptions& o);

// The method, tried on some of the samples.
struct PlanTrial {
  Index samples = 0;
  double seconds = 0;
  double memory = 0;  // beside the data, in bytes
};

// What it takes on so many processes.
struct PlanRow {
  int processes = 1;
  double seconds = 0;
  double memory = 0;        // of one process, data included
  double sent_by_most = 0;  // bytes that the process sends which sends most
  double sent_by_all = 0;
};

struct Plan {
  std::string method;
  bool selects = false;  // or trains
  Index samples = 0;
  Index features = 0;
  int threads = 1;  // of each process
  double read_seconds = 0;
  double compare_seconds = 0;  // until several processes know that they have the same data
  double data_memory = 0;      // of the process once it has read them, in bytes
  std::vector<PlanTrial> trials;
  double growth = 1;          // the time grows from the last trial on as this power of the samples
  double shared = 0;          // the share of the method's time that several processes have parts of
  std::vector<PlanRow> rows;  // 1, 2, 4, ... and all processes
};

// How many bytes a process sends per second, as plans assume: a network of 10 GBit/s.
constexpr double kPlannedBytesPerSecond = 1e9;

// What to train, or what to select by.
using PlannedMethod = std::variant<Recipe, SelectOptions>;

// Reads the data, and tries the method on growing parts of the samples with the threads of the context. What several
// processes share is recorded in these trials, and dealt out as they would do it; what they would wait for is computed.
// Throws Error (kInput) as the work itself would.
Plan plan(const std::string& path, const ReadOptions& reading, const PlannedMethod& method, const PlanOptions& options,
          Context& ctx);

// The number of processes from which on twice as many would save less than a tenth of the time; 0: more than planned.
int worthwhile_processes(const Plan& plan);

}  // namespace clade
