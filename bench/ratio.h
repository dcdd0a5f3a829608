// The ratios of benchmarks as data, for programs in C++: what bench/ratio.py describes.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace bench {

struct Ratio {
  std::string question;
  std::string contender;
  std::string baseline;
  std::string data;
  std::string measure = "seconds";
  int threads = 1;
  std::vector<double> rounds;  // the contender's value divided by the baseline's
};

// Appends a line to the file that CLADE_BENCH_RATIOS names, if it names one. Smaller ratios are better. The texts have
// nothing that JSON would want escaped.
inline void record(const Ratio& ratio) {
  const char* path = std::getenv("CLADE_BENCH_RATIOS");
  if (path == nullptr) return;
  std::FILE* file = std::fopen(path, "a");
  if (file == nullptr) {
    std::perror(path);
    std::exit(1);
  }
  std::string rounds;
  for (const double value : ratio.rounds) rounds += fmt::format("{}{:.4g}", rounds.empty() ? "" : ", ", value);
  const std::string line =
      fmt::format(R"({{"question": "{}", "contender": "{}", "baseline": "{}", "data": "{}", "measure": "{}", )"
                  R"("threads": {}, "better": "lower", "rounds": [{}]}})"
                  "\n",
                  ratio.question, ratio.contender, ratio.baseline, ratio.data, ratio.measure, ratio.threads, rounds);
  std::fputs(line.c_str(), file);
  std::fclose(file);
}

}  // namespace bench
