#include "classify/local/label_groups.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "core/parallel.h"
#include "core/random.h"

namespace clade {
namespace {

constexpr Index kChildrenPerTask = 1024;
constexpr Index kSmallPart = 8192;      // halved to the end by one task
constexpr std::size_t kSampled = 4096;  // children that decide where a large part is cut
constexpr int kIterations = 10;         // of 2-means; most cuts settle earlier

// The sums of the samples of each child, scaled to length 1. In single precision: they only decide which children are
// neighbours.
class Means {
 public:
  Means(const NodeTable& table, const TrainingRows& rows, Context& ctx) : width_(rows.width()) {
    std::vector<Index> begin(static_cast<std::size_t>(table.classes()) + 1, 0);
    for (const std::int32_t child : table.columns) ++begin[static_cast<std::size_t>(child) + 1];
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    std::vector<Index> rows_of(table.columns.size());
    std::vector<Index> next(begin.begin(), begin.end() - 1);
    for (Index r = 0; r < table.samples(); ++r) {
      for (const std::int32_t child : table.labels(r)) {
        rows_of[static_cast<std::size_t>(next[static_cast<std::size_t>(child)]++)] = r;
      }
    }
    chunks_.resize(static_cast<std::size_t>(chunk_count(table.classes(), kChildrenPerTask)));
    parallel_for(ctx, table.classes(), kChildrenPerTask, [&](Index from, Index to) {
      std::vector<double> sum(static_cast<std::size_t>(width_), 0);
      std::vector<std::int32_t> touched;
      Chunk& chunk = chunks_[static_cast<std::size_t>(from / kChildrenPerTask)];
      for (Index child = from; child < to; ++child) {
        const auto c = static_cast<std::size_t>(child);
        touched.clear();
        for (Index k = begin[c]; k < begin[c + 1]; ++k) {
          const Index row = rows_of[static_cast<std::size_t>(k)];
          const auto columns = rows.columns_of(row);
          const auto values = rows.values_of(row);
          double square = 0;
          for (const double value : values) square += value * value;
          const double factor = square > 0 ? 1 / std::sqrt(square) : 0;
          for (std::size_t e = 0; e < columns.size(); ++e) {
            double& here = sum[static_cast<std::size_t>(columns[e])];
            if (here == 0) touched.push_back(columns[e]);
            here += factor * values[e];
          }
        }
        chunk.add(sum, touched);
      }
      chunk.columns.shrink_to_fit();
      chunk.values.shrink_to_fit();
    });
  }

  Index width() const { return width_; }

  template <class Visit>
  void for_each(std::int32_t child, const Visit& visit) const {
    const Chunk& chunk = chunks_[static_cast<std::size_t>(child / kChildrenPerTask)];
    const auto c = static_cast<std::size_t>(child % kChildrenPerTask);
    for (std::size_t k = chunk.offsets[c]; k < chunk.offsets[c + 1]; ++k) visit(chunk.columns[k], chunk.values[k]);
  }

 private:
  struct Chunk {
    std::vector<std::size_t> offsets{0};
    std::vector<std::int32_t> columns;
    std::vector<float> values;

    // Empties `sum`.
    void add(std::vector<double>& sum, const std::vector<std::int32_t>& touched) {
      double square = 0;
      for (const std::int32_t column : touched) {
        square += sum[static_cast<std::size_t>(column)] * sum[static_cast<std::size_t>(column)];
      }
      const double factor = square > 0 ? 1 / std::sqrt(square) : 0;
      for (const std::int32_t column : touched) {
        double& value = sum[static_cast<std::size_t>(column)];
        if (value == 0) continue;
        columns.push_back(column);
        values.push_back(static_cast<float>(factor * value));
        value = 0;
      }
      offsets.push_back(columns.size());
    }
  };

  Index width_;
  std::vector<Chunk> chunks_;
};

// Cuts parts in two. Holds scratch as large as the features.
class Halving {
 public:
  Halving(const Means& means, std::uint64_t seed)
      : means_(means),
        seed_(seed),
        first_(static_cast<std::size_t>(means.width()), 0),
        second_(first_.size(), 0),
        is_touched_(first_.size(), 0) {}

  // Sorts the more similar ones into the halves of `part`, whose first position and level name its random numbers.
  void cut(std::span<std::int32_t> part, std::uint64_t position, int level, Context& ctx) {
    if (part.size() < 2) return;
    RandomStream random(seed_, {kClusterStream, position, static_cast<std::uint64_t>(level)});
    find_direction(part, random);
    const auto count = std::ssize(part);
    std::vector<Placed> placed(part.size());
    const auto place = [&](Index from, Index to) {
      for (auto k = static_cast<std::size_t>(from); k < static_cast<std::size_t>(to); ++k) {
        placed[k] = {along(part[k]), part[k]};
      }
    };
    if (count <= kSmallPart) {
      place(0, count);
    } else {
      parallel_for(ctx, count, kChildrenPerTask, place);
    }
    forget();
    const std::size_t middle = (placed.size() + 1) / 2;
    std::nth_element(placed.begin(), placed.begin() + static_cast<Index>(middle), placed.end(), comes_first);
    for (std::size_t k = 0; k < part.size(); ++k) part[k] = placed[k].child;
    std::sort(part.begin(), part.begin() + static_cast<Index>(middle));
    std::sort(part.begin() + static_cast<Index>(middle), part.end());
  }

 private:
  struct Placed {
    double along;
    std::int32_t child;
  };
  static bool comes_first(const Placed& a, const Placed& b) {
    return a.along != b.along ? a.along > b.along : a.child < b.child;
  }

  // How much more similar a child is to the first centre than to the second.
  double along(std::int32_t child) const {
    double sum = 0;
    means_.for_each(child,
                    [&](std::int32_t column, float value) { sum += first_[static_cast<std::size_t>(column)] * value; });
    return sum;
  }

  // Leaves the difference of two centres in first_.
  void find_direction(std::span<const std::int32_t> part, RandomStream& random) {
    std::vector<Placed> sampled;
    if (part.size() <= kSampled) {
      for (const std::int32_t child : part) sampled.push_back({0, child});
    } else {
      for (std::size_t k = 0; k < kSampled; ++k) {
        const std::size_t from = k * part.size() / kSampled;
        const std::size_t to = (k + 1) * part.size() / kSampled;
        sampled.push_back({0, part[from + static_cast<std::size_t>(random.below(static_cast<Index>(to - from)))]});
      }
    }
    const auto one = static_cast<std::size_t>(random.below(std::ssize(sampled)));
    const auto other = (one + 1 + static_cast<std::size_t>(random.below(std::ssize(sampled) - 1))) % sampled.size();
    add(sampled[one].child, first_);
    add(sampled[other].child, second_);
    subtract();
    const auto middle = static_cast<Index>((sampled.size() + 1) / 2);
    std::vector<std::int32_t> last;
    for (int iteration = 0; iteration < kIterations; ++iteration) {
      for (Placed& one_of : sampled) one_of.along = along(one_of.child);
      std::nth_element(sampled.begin(), sampled.begin() + middle, sampled.end(), comes_first);
      std::vector<std::int32_t> half;
      for (Index k = 0; k < middle; ++k) half.push_back(sampled[static_cast<std::size_t>(k)].child);
      std::ranges::sort(half);
      if (half == last) return;
      last = std::move(half);
      // In the order of children, so that the sums do not depend on how nth_element leaves them.
      std::sort(sampled.begin(), sampled.begin() + middle, by_child);
      std::sort(sampled.begin() + middle, sampled.end(), by_child);
      forget();
      for (Index k = 0; k < std::ssize(sampled); ++k) {
        add(sampled[static_cast<std::size_t>(k)].child, k < middle ? first_ : second_);
      }
      subtract();
    }
  }
  static bool by_child(const Placed& a, const Placed& b) { return a.child < b.child; }

  void add(std::int32_t child, std::vector<double>& centre) {
    means_.for_each(child, [&](std::int32_t column, float value) {
      const auto c = static_cast<std::size_t>(column);
      if (is_touched_[c] == 0) touched_.push_back(column);
      is_touched_[c] = 1;
      centre[c] += value;
    });
  }

  // first_ becomes the difference of the two centres, each scaled to length 1.
  void subtract() {
    double first = 0;
    double second = 0;
    for (const std::int32_t column : touched_) {
      const auto c = static_cast<std::size_t>(column);
      first += first_[c] * first_[c];
      second += second_[c] * second_[c];
    }
    const double first_factor = first > 0 ? 1 / std::sqrt(first) : 0;
    const double second_factor = second > 0 ? 1 / std::sqrt(second) : 0;
    for (const std::int32_t column : touched_) {
      const auto c = static_cast<std::size_t>(column);
      first_[c] = first_factor * first_[c] - second_factor * second_[c];
    }
  }

  void forget() {
    for (const std::int32_t column : touched_) {
      const auto c = static_cast<std::size_t>(column);
      first_[c] = 0;
      second_[c] = 0;
      is_touched_[c] = 0;
    }
    touched_.clear();
  }

  const Means& means_;
  std::uint64_t seed_;
  std::vector<double> first_;
  std::vector<double> second_;
  std::vector<char> is_touched_;
  std::vector<std::int32_t> touched_;
};

}  // namespace

std::vector<std::int32_t> halving_bounds(std::int32_t count, int halvings) {
  std::vector<std::int32_t> bounds{0, count};
  for (int level = 0; level < halvings; ++level) {
    std::vector<std::int32_t> finer{0};
    for (std::size_t k = 1; k < bounds.size(); ++k) {
      finer.push_back(bounds[k - 1] + (bounds[k] - bounds[k - 1] + 1) / 2);
      finer.push_back(bounds[k]);
    }
    bounds = std::move(finer);
  }
  return bounds;
}

std::vector<std::int32_t> order_by_similarity(const NodeTable& table, const TrainingRows& rows, int halvings,
                                              std::uint64_t seed, Context& ctx) {
  const Means means(table, rows, ctx);
  std::vector<std::int32_t> order(static_cast<std::size_t>(table.classes()));
  std::iota(order.begin(), order.end(), 0);
  const auto part = [&](std::int32_t from, std::int32_t to) {
    return std::span(order).subspan(static_cast<std::size_t>(from), static_cast<std::size_t>(to - from));
  };
  const auto count = static_cast<std::int32_t>(table.classes());
  int level = 0;
  // Large parts one after the other, each by all threads.
  for (Halving halving(means, seed); level < halvings && (count >> level) > kSmallPart; ++level) {
    const std::vector<std::int32_t> bounds = halving_bounds(count, level);
    for (std::size_t k = 1; k < bounds.size(); ++k) {
      halving.cut(part(bounds[k - 1], bounds[k]), static_cast<std::uint64_t>(bounds[k - 1]), level, ctx);
    }
  }
  // Small parts side by side, each down to the end.
  const std::vector<std::int32_t> bounds = halving_bounds(count, level);
  parallel_for(ctx, std::ssize(bounds) - 1, 1, [&](Index k, Index) {
    Halving halving(means, seed);
    const std::int32_t from = bounds[static_cast<std::size_t>(k)];
    const std::int32_t size = bounds[static_cast<std::size_t>(k) + 1] - from;
    for (int deeper = level; deeper < halvings; ++deeper) {
      const std::vector<std::int32_t> own = halving_bounds(size, deeper - level);
      for (std::size_t p = 1; p < own.size(); ++p) {
        halving.cut(part(from + own[p - 1], from + own[p]), static_cast<std::uint64_t>(from + own[p - 1]), deeper, ctx);
      }
    }
  });
  return order;
}

}  // namespace clade
