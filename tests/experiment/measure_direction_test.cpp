#include <clade/compare.h>
#include <gtest/gtest.h>

namespace clade {
namespace {

TEST(BetterDirection, CostsAreBetterWhenLower) {
  for (const char* name : {"tie", "TIE", "tie_normalized", "ranking_loss", "maximal_loss", "top_loss", "symmetric_loss",
                           "seconds", "runtime", "training time", "error", "error_rate", "h-loss", "hloss", "errors",
                           "log_losses", "cpu_seconds_total", "brier_score", "expected_calibration_error"}) {
    EXPECT_EQ(better_direction(name), Better::kLower) << name;
  }
}

TEST(BetterDirection, EverythingElseIsBetterWhenHigher) {
  for (const char* name :
       {"accuracy", "hierarchical_precision", "hierarchical_recall", "hierarchical_f1", "f_lca", "p_lca", "r_lca",
        "hierarchical_accuracy", "one_accuracy", "average_precision", "parent_accuracy", "clustering_accuracy", "nmi",
        "accuracy_coverage_area", "value", "sentiment_accuracy", "properties", ""}) {
    EXPECT_EQ(better_direction(name), Better::kHigher) << name;
  }
}

}  // namespace
}  // namespace clade
