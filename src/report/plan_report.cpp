#include "report/plan_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "report/json_text.h"
#include "report/quantity_text.h"
#include "report/text_table.h"

namespace clade {
namespace {

using PlanJson = nlohmann::json;

std::string sent_text(double bytes) {
  return bytes == 0 ? "nothing" : memory_text(bytes);
}

std::string_view verb(const Plan& plan) {
  return plan.selects ? "selecting" : "training";
}

std::string table(const Plan& plan, double limit) {
  std::vector<std::vector<std::string>> rows{{"processes", "time", "memory of each", "sent by one", "fits"}};
  for (const PlanRow& row : plan.rows) {
    rows.push_back({grouped(row.processes), time_text(row.seconds), memory_text(row.memory),
                    sent_text(row.sent_by_most), row.memory <= limit ? "yes" : "no"});
  }
  return aligned_table(rows, 0, 4);
}

std::string trials(const Plan& plan) {
  std::vector<std::string> sizes;
  for (const PlanTrial& trial : plan.trials) sizes.push_back(grouped(trial.samples));
  return fmt::format("Tried on {} samples: the time grows as their number to the power of {:.2f}.\n",
                     fmt::join(sizes, ", "), plan.growth);
}

std::string sharing(const Plan& plan) {
  if (plan.shared == 0) return fmt::format("Processes cannot share {} by {}.\n", verb(plan), plan.method);
  std::string text = fmt::format("Processes share {:.0f} % of {}; each does the rest, and reads all data ({}).\n",
                                 100 * plan.shared, verb(plan), time_text(plan.read_seconds));
  if (const int enough = worthwhile_processes(plan); enough > 0) {
    text += enough == 1 ? std::string("More than one process saves little time.\n")
                        : fmt::format("More than {} processes save little time.\n", grouped(enough));
  }
  return text;
}

}  // namespace

std::string plan_text(const Plan& plan, const std::string& data, double limit) {
  return fmt::format(
      "{}: {} samples, {} features; {} by {}, {} per process\n\n{}\n{}{}"
      "The estimate is for machines like this one with {} of memory per process, and a network of 10 GBit/s.\n"
      "Times may be wrong by a factor of two, and by more if the method slows down beyond the largest trial.\n",
      data, grouped(plan.samples), grouped(plan.features), verb(plan), plan.method,
      counted(static_cast<std::size_t>(plan.threads), "thread"), table(plan, limit), trials(plan), sharing(plan),
      memory_text(limit));
}

std::string plan_json(const Plan& plan, const std::string& data, double limit) {
  PlanJson trials = PlanJson::array();
  for (const PlanTrial& trial : plan.trials) {
    trials.push_back({{"samples", trial.samples}, {"seconds", trial.seconds}, {"memory_bytes", trial.memory}});
  }
  PlanJson rows = PlanJson::array();
  for (const PlanRow& row : plan.rows) {
    rows.push_back({{"processes", row.processes},
                    {"seconds", row.seconds},
                    {"memory_bytes", row.memory},
                    {"fits", row.memory <= limit},
                    {"sent_bytes_of_one", row.sent_by_most},
                    {"sent_bytes", row.sent_by_all}});
  }
  const int enough = worthwhile_processes(plan);
  return json_text({{"data", data},
                    {"method", plan.method},
                    {"work", plan.selects ? "select" : "train"},
                    {"samples", plan.samples},
                    {"features", plan.features},
                    {"threads", plan.threads},
                    {"read_seconds", plan.read_seconds},
                    {"compare_seconds", plan.compare_seconds},
                    {"data_memory_bytes", plan.data_memory},
                    {"memory_limit_bytes", limit},
                    {"trials", std::move(trials)},
                    {"growth", plan.growth},
                    {"shared", plan.shared},
                    {"worthwhile_processes", enough > 0 ? PlanJson(enough) : PlanJson()},
                    {"processes", std::move(rows)}});
}

}  // namespace clade
