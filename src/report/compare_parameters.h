#pragma once

#include <clade/compare.h>
#include <clade/parameters.h>

#include <string>

#include "experiment/results_table.h"
#include "report/critical_distance_diagram.h"

namespace clade {

enum class MeasureDirection { kAuto, kHigher, kLower };

inline constexpr Choice<MeasureDirection> kDirectionWords[] = {
    {MeasureDirection::kAuto, "auto"}, {MeasureDirection::kHigher, "higher"}, {MeasureDirection::kLower, "lower"}};
inline constexpr Choice<Incomplete> kIncompleteWords[] = {{Incomplete::kError, "error"},
                                                          {Incomplete::kDropData, "drop-data"},
                                                          {Incomplete::kDropMethods, "drop-methods"},
                                                          {Incomplete::kWorst, "worst"}};
inline constexpr Choice<CriticalDistanceDiagram::PostHoc> kPostHocWords[] = {
    {CriticalDistanceDiagram::PostHoc::kNemenyi, "nemenyi"},
    {CriticalDistanceDiagram::PostHoc::kBonferroniDunn, "bonferroni-dunn"}};

struct CompareParameters {
  std::string metric;
  MeasureDirection better = MeasureDirection::kAuto;
  double alpha = CompareOptions().alpha;
  std::string control;
  Incomplete incomplete = Incomplete::kError;
  bool drop_incomplete = false;
};

template <class V>
void describe(V& v, CompareParameters& p) {
  v("metric", p.metric, "the measure to compare; may be left out if RESULTS has only one");
  v("better", p.better, kDirectionWords, "which values are better; auto: lower for losses, errors, times and TIE");
  v("alpha", p.alpha, inside(0, 1), "significance level");
  v("control", p.control, "the method that Bonferroni-Dunn compares the others with (by default the best ranked)");
  v("incomplete", p.incomplete, kIncompleteWords,
    "what to do if a method has no value on some data set; worst: rank it behind all others");
  v("drop-incomplete", p.drop_incomplete, "the same as `incomplete` drop-data");
}

struct DiagramParameters {
  CriticalDistanceDiagram::PostHoc post_hoc = CriticalDistanceDiagram::PostHoc::kNemenyi;
  bool force = false;
};

template <class V>
void describe(V& v, DiagramParameters& p) {
  v("post-hoc", p.post_hoc, kPostHocWords, "the test that the diagram shows");
  v("force", p.force, "overwrite the diagram if it exists");
}

}  // namespace clade
