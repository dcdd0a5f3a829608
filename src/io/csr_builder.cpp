#include "io/csr_builder.h"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "core/parallel.h"

namespace clade {
namespace {

template <class T>
using Entry = std::pair<FeatureIndex, T>;

template <class T>
void sort_row(FeatureIndex* columns, T* values, Index size, std::vector<Entry<T>>& scratch) {
  scratch.clear();
  for (Index k = 0; k < size; ++k) scratch.emplace_back(columns[k], values[k]);
  std::sort(scratch.begin(), scratch.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (Index k = 0; k < size; ++k) std::tie(columns[k], values[k]) = scratch[static_cast<std::size_t>(k)];
}

}  // namespace

template <class T>
std::optional<Cell> sort_rows(SparseMatrix<T>& matrix, Context& ctx) {
  constexpr Index kGrain = 512;
  const auto sort_range = [&](Index first, Index last) {
    std::optional<Cell> repeated;
    std::vector<Entry<T>> scratch;
    for (Index r = first; r < last; ++r) {
      const Index begin = matrix.offsets[r];
      const Index size = matrix.offsets[r + 1] - begin;
      FeatureIndex* columns = matrix.indices.data() + begin;
      if (!std::is_sorted(columns, columns + size)) sort_row(columns, matrix.values.data() + begin, size, scratch);
      const FeatureIndex* twin = std::adjacent_find(columns, columns + size);
      if (!repeated && twin != columns + size) repeated = Cell{r, *twin};
    }
    return repeated;
  };
  return parallel_reduce(ctx, matrix.rows, kGrain, std::optional<Cell>(), sort_range,
                         [](std::optional<Cell>& first, const std::optional<Cell>& later) {
                           if (!first) first = later;
                         });
}
template std::optional<Cell> sort_rows(SparseMatrix<double>&, Context&);
template std::optional<Cell> sort_rows(SparseMatrix<float>&, Context&);

template <class T>
CsrBuilder<T>::CsrBuilder(Index rows, Index columns) {
  matrix_.rows = rows;
  matrix_.columns = columns;
  matrix_.offsets = Buffer<Index>(rows + 1);
  std::fill(matrix_.offsets.begin(), matrix_.offsets.end(), 0);
}

template <class T>
void CsrBuilder<T>::allocate() {
  Index total = 0;
  for (Index& offset : matrix_.offsets.span()) total += std::exchange(offset, total);
  matrix_.indices = Buffer<FeatureIndex>(total);
  matrix_.values = Buffer<T>(total);
}

template <class T>
SparseMatrix<T> CsrBuilder<T>::finish(Context& ctx, std::optional<Cell>& repeated) {
  // Each offset has moved to the end of its row, which is the start of the next row.
  std::copy_backward(matrix_.offsets.begin(), matrix_.offsets.end() - 1, matrix_.offsets.end());
  matrix_.offsets[0] = 0;
  repeated = sort_rows(matrix_, ctx);
  return std::move(matrix_);
}

template class CsrBuilder<double>;
template class CsrBuilder<float>;

}  // namespace clade
