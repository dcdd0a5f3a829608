#include "induce/kernel_gram.h"

#include <fmt/format.h>

#include <numeric>

#include "core/parallel.h"
#include "data/kernel/kernel_check.h"
#include "data/kernel/kernel_samples.h"

namespace clade {
namespace {

class KernelGram : public CentroidGram {
 public:
  explicit KernelGram(Matrix products) : products_(std::move(products)) {}

  Index classes() const override { return products_.rows(); }
  double square(Index k) const override { return products_(k, k); }

  std::unique_ptr<Strip> strip(Index begin, Index end) const override {
    return std::make_unique<KernelStrip>(products_, begin, end);
  }

 private:
  class KernelStrip : public Strip {
   public:
    KernelStrip(const Matrix& products, Index begin, Index end)
        : products_(products), begin_(begin), size_(end - begin) {}
    void products(Index begin, Index end, MatrixRef tile) override {
      tile.topLeftCorner(size_, end - begin) = products_.block(begin_, begin, size_, end - begin);
    }

   private:
    const Matrix& products_;
    Index begin_;
    Index size_;
  };

  Matrix products_;
};

}  // namespace

std::unique_ptr<CentroidGram> kernel_gram(const Dataset& data, const ClassSamples& classes,
                                          const KernelOptions& options, bool unit, Context& ctx) {
  check_kernel_fits(options.kind, data);
  if (options.kind == KernelKind::kPrecomputed) {
    std::vector<std::string> notes;
    check_precomputed(data, notes, ctx);
    for (const std::string& note : notes) ctx.info(note);
  }
  std::vector<Index> all(static_cast<std::size_t>(data.samples()));
  std::iota(all.begin(), all.end(), Index{0});
  const KernelSamples samples(data, all, options, unit, ctx);
  const KernelOptions kernel = with_gamma(options, samples);
  Matrix products(classes.size(), classes.size());
  parallel_for(ctx, classes.size(), Index{1}, [&](Index k, Index) {
    std::vector<double> row(all.size());
    std::vector<double> sum(all.size(), 0);
    for (const Index i : classes.of(k)) {
      samples.row(kernel, samples, i, row);
      for (std::size_t j = 0; j < row.size(); ++j) sum[j] += row[j];
    }
    for (Index l = 0; l < classes.size(); ++l) {
      double total = 0;
      for (const Index j : classes.of(l)) total += sum[static_cast<std::size_t>(j)];
      products(k, l) = total / (static_cast<double>(classes.of(k).size()) * static_cast<double>(classes.of(l).size()));
    }
  });
  // Sums in another order differ by rounding.
  const Matrix symmetric = (products + products.transpose()) / 2;
  return std::make_unique<KernelGram>(symmetric);
}

}  // namespace clade
