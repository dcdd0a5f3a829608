#include "io/numpy/npy.h"

#include <fmt/format.h>

#include <cmath>

#include "io/labels/label_file.h"
#include "io/numpy/npy_features.h"

namespace clade {
namespace {

constexpr Index kMaxDenseValues = 2'000'000'000;

template <class T>
void write_rows(const Dataset& data, Sink& sink, Context& ctx) {
  const auto columns = static_cast<std::size_t>(data.features());
  std::vector<T> row(columns);
  for (Index s = 0; s < data.samples(); ++s) {
    ctx.check_cancelled();
    std::fill(row.begin(), row.end(), T{0});
    data.for_each_value(s,
                        [&](FeatureIndex f, auto value) { row[static_cast<std::size_t>(f)] = static_cast<T>(value); });
    sink.write({reinterpret_cast<const char*>(row.data()), columns * sizeof(T)});
  }
}

}  // namespace

ParsedData read_npy(const Input& input, const ReadOptions& options, Context& ctx) {
  ParsedData data;
  set_dense_features(data, npy_array(input.bytes(), {input.name(), {}}), options, ctx);
  const Index samples = row_count(data.features);
  if (!options.labels_file.empty()) {
    data.labels_file = options.labels_file;
    data.labels = read_label_file(options.labels_file, options, data.sample_names, samples, data.notes, ctx);
  } else {
    for (Index s = 0; s < samples; ++s) data.labels.end_sample();
  }
  return data;
}

void write_npy(const Dataset& data, const WriteOptions& /*options*/, Sink& sink, Context& ctx) {
  Index values = 0;
  const bool countable = !__builtin_mul_overflow(data.samples(), data.features(), &values);
  if (is_sparse(data.matrix()) && (!countable || values > kMaxDenseValues)) {
    throw usage_error(
        fmt::format("sparse data of {} x {} does not fit a dense .npy file", data.samples(), data.features()),
        "write .npz, which keeps it sparse");
  }
  const bool single = is_single_precision(data.matrix());
  sink.write(npy_header_text(single ? "<f4" : "<f8", {data.samples(), data.features()}));
  single ? write_rows<float>(data, sink, ctx) : write_rows<double>(data, sink, ctx);
}

DataFormat::Holds npy_holds(const Dataset& /*data*/) {
  return {.feature_count = true, .labels = false};
}

}  // namespace clade
