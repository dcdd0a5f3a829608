#pragma once

#include <clade/context.h>
#include <clade/dataset.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace clade {

struct FeatureScale;

struct RowOptions {
  std::span<const FeatureIndex> features;  // ascending; empty: all that occur
  bool has_unit_length = false;            // scale every sample to length 1, by all its features
  const FeatureScale* scale = nullptr;     // of dense data; null: none
  // Rows may be made whenever they are asked for instead of copied, if copies would go beyond the limit of memory.
  bool may_be_made = false;
};

// Makes the rows of some samples, prepared as a solver wants them.
class RowMaker {
 public:
  // The row as the values that are not 0, columns ascending.
  struct Row {
    std::span<const std::int32_t> columns;
    std::span<const double> values;
  };

  RowMaker(Dataset data, std::span<const Index> samples, const RowOptions& options, Context& ctx);

  Index rows() const { return static_cast<Index>(samples_.size()); }
  // Local column -> feature of the data, ascending.
  const std::vector<FeatureIndex>& features() const { return features_; }
  // A row has no more values than this that are not 0.
  Index most_values(Index row) const;
  // Writes what is not 0 in a row, columns ascending; gives the number of values.
  Index make(Index row, std::int32_t* columns, double* values) const;

  // The row, kept for the thread that asks until it has asked for kKept others.
  static constexpr std::size_t kKept = 4;
  Row row(Index r) const;
  // Says that these rows are needed soon, so that the disk can begin to read them.
  void will_need(Index begin, Index end) const;
  const Dataset& data() const { return data_; }

  // The same rows with their columns renumbered, and one more column, the given one, with this value in all rows; 0:
  // none.
  std::shared_ptr<const RowMaker> changed(std::span<const std::int32_t> place, std::int32_t constant_column,
                                          double constant) const;

 private:
  static constexpr std::int32_t kLeftOut = -1;

  Dataset data_;
  std::vector<Index> samples_;
  std::vector<FeatureIndex> features_;
  std::vector<std::int32_t> local_;  // feature -> column
  bool has_unit_length_ = false;
  std::vector<double> mean_;  // of the scale; empty: none
  std::vector<double> factor_;
  std::int32_t constant_column_ = 0;
  double constant_ = 0;
  std::uint64_t number_;  // of this maker: no other has it, ever
};

// Says whether the samples will be read in random order, with RowMaker::will_need() before, so that the disk is not
// asked for what lies around them.
void expect_random_order(const Dataset& data, bool is_random);

}  // namespace clade
