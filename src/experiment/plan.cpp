#include <clade/error.h>
#include <clade/plan.h>
#include <clade/split.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <memory>
#include <optional>

#include "comm/team.h"
#include "core/stopwatch.h"
#include "experiment/growth_law.h"
#include "experiment/process_memory.h"
#include "experiment/sharing_plan.h"

namespace clade {
namespace {

// Passes progress on, and the wish to stop. The messages of trials would be about parts of the data.
class Relay : public ProgressSink {
 public:
  explicit Relay(const Context& outer) : outer_(outer) {}

  void update(std::string_view task, std::int64_t done, std::int64_t total) override {
    if (outer_.cancelled()) cancel_->cancel();
    if (outer_.progress() != nullptr) outer_.show_progress(task, done, total);
  }
  const std::shared_ptr<CancelToken>& cancel() const { return cancel_; }

 private:
  const Context& outer_;
  std::shared_ptr<CancelToken> cancel_ = std::make_shared<CancelToken>();
};

struct Trial {
  PlanTrial seen;
  SharedWork work;
  double processor_seconds = 0;
  double beyond_nodes = 0;  // memory beside that of nodes that stay with their owners

  double shared_seconds() const {
    double seconds = 0;
    for (const auto& tasks : work.tasks) seconds += tasks.seconds;
    for (const auto& nodes : work.nodes) seconds += nodes.seconds;
    return seconds;
  }
  double shared_bytes() const {
    double bytes = 0;
    for (const auto& tasks : work.tasks) bytes += tasks.bytes;
    for (const auto& nodes : work.nodes) bytes += nodes.bytes;
    return bytes;
  }
};

// Of all threads of this process.
double processor_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

// Sizes of trials: twice as many samples every time.
Index first_size(const Dataset& data) {
  constexpr Index kFewest = 200;
  constexpr Index kMost = 2000;
  constexpr Index kShare = 64;
  const Index all = data.samples();
  const auto classes = static_cast<Index>(data.taxonomy().leaves().size());
  const Index some = std::max(std::clamp(all / kShare, kFewest, kMost), 2 * classes);
  return std::clamp<Index>(some, 1, std::max<Index>(1, all / 2));
}

// The last trial may have all samples, and none has almost all.
Index next_size(Index size, Index all) {
  return 3 * size >= all ? all : 2 * size;
}

class Planner {
 public:
  Planner(const Dataset& data, const PlannedMethod& method, const PlanOptions& options, Context& ctx)
      : data_(data), method_(method), options_(options), ctx_(ctx) {
    if (auto* const select = std::get_if<SelectOptions>(&method_)) select->allow_zero_weights = true;
  }

  void try_out() {
    constexpr std::size_t kFewest = 3;
    const auto start = std::chrono::steady_clock::now();
    const Index all = data_.samples();
    bool is_warm = false;
    for (Index size = first_size(data_);; size = next_size(size, all)) {
      const double left = options_.budget - seconds_since(start);
      if (trials_.size() >= kFewest && law_of_seconds().at(static_cast<double>(size)) > left) break;
      if (!is_warm) try_on(size);  // what is done once in a process would look like a cost of few samples
      is_warm = true;
      if (auto trial = try_on(size)) trials_.push_back(std::move(*trial));
      if (size == all) break;
    }
  }

  void fill(Plan& plan) {
    const Trial& last = trials_.back();
    if (!last.work.nodes.empty()) nodes_.emplace(data_, std::get<SelectOptions>(method_));
    const auto all = static_cast<double>(data_.samples());
    const double rest = law([&](const Trial& t) { return steady(t) * (t.seen.seconds - t.shared_seconds()); }).at(all);
    const double shared = shared_seconds();
    const double whole = rest + shared;
    plan.shared = whole > 0 ? shared / whole : 0;
    plan.growth = growth(whole);
    for (const Trial& trial : trials_) plan.trials.push_back(trial.seen);
    const PowerLaw bytes = law([](const Trial& trial) { return trial.shared_bytes(); });
    const double more_bytes = bytes.factor > 0 ? bytes.at(all) / bytes.at(static_cast<double>(last.seen.samples)) : 0;
    for (int processes = 1;; processes = std::min(2 * processes, options_.ranks)) {
      const SharedLoad load = load_of(processes);
      PlanRow row{.processes = processes};
      for (const double sent : load.sent) {
        row.sent_by_most = std::max(row.sent_by_most, sent * more_bytes);
        row.sent_by_all += sent * more_bytes;
      }
      row.seconds = plan.read_seconds + (processes > 1 ? plan.compare_seconds : 0) + rest + shared * load.longest +
                    row.sent_by_most / kPlannedBytesPerSecond;
      row.memory = plan.data_memory + memory(processes, more_bytes);
      plan.rows.push_back(row);
      if (processes == options_.ranks) break;
    }
  }

 private:
  std::optional<Trial> try_on(Index size) {
    const Index all = data_.samples();
    const double share = static_cast<double>(size) / static_cast<double>(all);
    const Dataset part = size == all ? data_ : data_.subset(train_test_split(data_, share, ctx_.seed()).test);
    Trial trial;
    trial.seen.samples = part.samples();
    const auto team = std::make_shared<Team>(std::make_shared<Alone>());
    team->record_work(trial.work);
    const auto relay = std::make_shared<Relay>(ctx_);
    Context own({.threads = ctx_.threads(),
                 .seed = ctx_.seed(),
                 .log = {},
                 .progress = relay,
                 .cancel = relay->cancel(),
                 .team = team});
    ctx_.check_cancelled();
    release_free_memory();
    const double before = resident_bytes();
    const PeakMemory::Piece piece = peaks_.begin();
    const auto start = std::chrono::steady_clock::now();
    const double processor_start = processor_seconds();
    try {
      work_on(part, own);
    } catch (const Error& error) {
      peaks_.end(piece);
      // A few samples may be too few for the method.
      if (error.kind() != Error::Kind::kInput || size == all) throw;
      return std::nullopt;
    }
    trial.seen.seconds = seconds_since(start);
    trial.processor_seconds = processor_seconds() - processor_start;
    trial.seen.memory = std::max(0.0, peaks_.end(piece) - before);
    if (!trial.work.nodes.empty()) {
      const NodePlan nodes(part, std::get<SelectOptions>(method_));
      trial.beyond_nodes = std::max(0.0, trial.seen.memory - nodes.memory(1, ctx_.threads()));
    }
    return trial;
  }

  void work_on(const Dataset& part, Context& ctx) const {
    if (const auto* const recipe = std::get_if<Recipe>(&method_)) {
      train(part, *recipe, {}, ctx, ResultsFor::kLeader);
    } else {
      select(part, std::get<SelectOptions>(method_), ctx);
    }
  }

  template <class Value>
  std::vector<SizedValue> by_samples(const Value& value) const {
    std::vector<SizedValue> points;
    for (const Trial& trial : trials_) points.push_back({static_cast<double>(trial.seen.samples), value(trial)});
    return points;
  }
  template <class Value>
  PowerLaw law(const Value& value) const {
    return fit_power_law(by_samples(value));
  }
  // What other programs do meanwhile makes some trials slower than others, which would look like growth. So all get the
  // same time per processor second, that of all trials together.
  double steady(const Trial& trial) const {
    double seconds = 0;
    double processor = 0;
    for (const Trial& one : trials_) {
      seconds += one.seen.seconds;
      processor += one.processor_seconds;
    }
    if (processor <= 0 || trial.seen.seconds <= 0) return 1;
    return seconds / processor * trial.processor_seconds / trial.seen.seconds;
  }
  PowerLaw law_of_seconds() const {
    return law([&](const Trial& trial) { return steady(trial) * trial.seen.seconds; });
  }

  // On one process. The time of nodes follows their cost, which grows with the samples in several ways.
  double shared_seconds() const {
    if (!nodes_) {
      return law([&](const Trial& trial) { return steady(trial) * trial.shared_seconds(); })
          .at(static_cast<double>(data_.samples()));
    }
    std::vector<SizedValue> points;
    for (const Trial& trial : trials_) {
      double cost = 0;
      for (const auto& nodes : trial.work.nodes) {
        for (const double own : nodes.cost) cost += own;
      }
      points.push_back({cost, steady(trial) * trial.shared_seconds()});
    }
    return fit_power_law(points).at(nodes_->cost());
  }

  // From the last trial on, or between the last two if that has all samples.
  double growth(double whole) const {
    const PlanTrial& last = trials_.back().seen;
    const double seconds = steady(trials_.back()) * last.seconds;
    if (last.samples == data_.samples() || seconds <= 0) return law_of_seconds().exponent;
    return std::max(0.0, std::log(whole / seconds) /
                             std::log(static_cast<double>(data_.samples()) / static_cast<double>(last.samples)));
  }

  SharedLoad load_of(int processes) const {
    const Trial& last = trials_.back();
    SharedLoad all;
    all.sent.assign(static_cast<std::size_t>(processes), 0);
    double longest = 0;
    const auto add = [&](const SharedLoad& load, double seconds) {
      longest += load.longest * seconds;
      for (std::size_t rank = 0; rank < all.sent.size(); ++rank) all.sent[rank] += load.sent[rank];
    };
    for (const auto& tasks : last.work.tasks) add(load_of_tasks(tasks, processes, ctx_.threads()), tasks.seconds);
    for (const auto& nodes : last.work.nodes) add(nodes_->load(nodes, processes), nodes.seconds);
    if (last.shared_seconds() > 0) all.longest = longest / last.shared_seconds();
    return all;
  }

  // Beside the data. Several processes keep results as bytes while these go to all.
  double memory(int processes, double more_bytes) const {
    const auto all = static_cast<double>(data_.samples());
    if (nodes_) {
      return extrapolated_memory(by_samples([](const Trial& trial) { return trial.beyond_nodes; }), all) +
             nodes_->memory(processes, ctx_.threads());
    }
    double largest = 0;
    for (const auto& tasks : trials_.back().work.tasks) largest = std::max(largest, tasks.bytes);
    return extrapolated_memory(by_samples([](const Trial& trial) { return trial.seen.memory; }), all) +
           (processes > 1 ? largest * more_bytes : 0);
  }

  const Dataset& data_;
  PlannedMethod method_;
  const PlanOptions& options_;
  Context& ctx_;
  PeakMemory peaks_;
  std::vector<Trial> trials_;
  std::optional<NodePlan> nodes_;
};

}  // namespace

void describe(ParameterTable& v, PlanOptions& o) {
  v("ranks", o.ranks, between(1, 65536), "plan for 1, 2, 4, ... and so many processes");
}

Plan plan(const std::string& path, const ReadOptions& reading, const PlannedMethod& method, const PlanOptions& options,
          Context& ctx) {
  Plan plan;
  PeakMemory peaks;
  const PeakMemory::Piece piece = peaks.begin();
  const auto start = std::chrono::steady_clock::now();
  const LoadedData loaded = read_dataset(path, reading, ctx);
  plan.read_seconds = seconds_since(start);
  const double most = peaks.end(piece);
  const Dataset& data = loaded.data;
  if (data.samples() == 0) throw input_error({.file = path}, "no samples", "expected some to plan with");
  release_free_memory();
  plan.data_memory = resident_bytes();
  if (options.ranks > 1) {
    const auto before = std::chrono::steady_clock::now();
    fingerprint(data, ctx);
    plan.compare_seconds = seconds_since(before);
  }
  const auto* const recipe = std::get_if<Recipe>(&method);
  plan.selects = recipe == nullptr;
  plan.method = recipe != nullptr ? recipe->classifier : std::get<SelectOptions>(method).method;
  plan.samples = data.samples();
  plan.features = data.features();
  plan.threads = ctx.threads();
  Planner planner(data, method, options, ctx);
  planner.try_out();
  planner.fill(plan);
  for (PlanRow& row : plan.rows) row.memory = std::max(row.memory, most);
  return plan;
}

int worthwhile_processes(const Plan& plan) {
  constexpr double kLeastGain = 0.1;
  for (std::size_t k = 0; k + 1 < plan.rows.size(); ++k) {
    const PlanRow& row = plan.rows[k];
    const PlanRow& next = plan.rows[k + 1];
    // The last row may have less than twice as many.
    const double doublings = std::log2(static_cast<double>(next.processes) / row.processes);
    if (next.seconds > row.seconds * std::pow(1 - kLeastGain, doublings)) return row.processes;
  }
  return 0;
}

}  // namespace clade
