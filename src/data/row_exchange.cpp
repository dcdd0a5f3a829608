#include "data/row_exchange.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <iterator>
#include <numeric>
#include <span>
#include <string>
#include <utility>

#include "comm/collectives.h"
#include "core/byte_string.h"
#include "core/check.h"
#include "data/storage.h"

namespace clade {
namespace {

template <class T>
std::size_t bytes_of(const DenseMatrix<T>& m, const std::vector<Index>& rows) {
  return rows.size() * (sizeof(std::uint64_t) + static_cast<std::size_t>(m.columns) * sizeof(T));
}

template <class T>
std::size_t bytes_of(const SparseMatrix<T>& m, const std::vector<Index>& rows) {
  std::size_t size = 0;
  for (const Index row : rows) {
    size += 2 * sizeof(std::uint64_t) + m.row_values(row).size() * (sizeof(T) + sizeof(FeatureIndex));
  }
  return size;
}

bool are_floats(std::span<const double> values) {
  bool all = true;
  for (const double value : values) all &= static_cast<double>(static_cast<float>(value)) == value;
  return all;
}

void put_values(std::span<const float> values, ByteWriter& bytes) {
  bytes.put(values);
}

// Many data come from files of floats, or are small whole numbers: half of the bytes say as much then.
void put_values(std::span<const double> values, ByteWriter& bytes) {
  if (!are_floats(values)) {
    bytes.put(values);
    return;
  }
  std::vector<float> shorter(values.begin(), values.end());
  bytes.put(shorter);
}

template <class T>
void put_rows(const DenseMatrix<T>& m, const std::vector<Index>& rows, ByteWriter& bytes) {
  for (const Index row : rows) put_values(m.row(row), bytes);
}

template <class T>
void put_rows(const SparseMatrix<T>& m, const std::vector<Index>& rows, ByteWriter& bytes) {
  for (const Index row : rows) bytes.put(m.row_indices(row)).put(m.row_values(row));
}

// The same of the columns from `begin` to `end`, numbered from 0.
template <class T>
void put_columns(const DenseMatrix<T>& m, const std::vector<Index>& rows, Index begin, Index end, ByteWriter& bytes) {
  for (const Index row : rows) {
    put_values(m.row(row).subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)), bytes);
  }
}

template <class T>
void put_columns(const SparseMatrix<T>& m, const std::vector<Index>& rows, Index begin, Index end, ByteWriter& bytes) {
  std::vector<FeatureIndex> renumbered;
  for (const Index row : rows) {
    const auto columns = m.row_indices(row);
    const auto from = std::ranges::lower_bound(columns, begin) - columns.begin();
    const auto count = std::ranges::lower_bound(columns, end) - columns.begin() - from;
    renumbered.clear();
    for (const FeatureIndex column : columns.subspan(static_cast<std::size_t>(from), static_cast<std::size_t>(count))) {
      renumbered.push_back(static_cast<FeatureIndex>(column - begin));
    }
    bytes.put(renumbered);
    bytes.put(m.row_values(row).subspan(static_cast<std::size_t>(from), static_cast<std::size_t>(count)));
  }
}

// Copies the numbers that come next, and says how many they are.
template <class T>
Index take(ByteReader& bytes, T* to) {
  const std::string_view found = bytes.bytes();
  if (!found.empty()) std::memcpy(to, found.data(), found.size());
  return static_cast<Index>(found.size() / sizeof(T));
}

// The values of a row as put_values() gave them.
template <class T>
T* take_values(ByteReader& bytes, T* to, Index columns) {
  const std::string_view found = bytes.bytes();
  if (static_cast<Index>(found.size()) == columns * static_cast<Index>(sizeof(T))) {
    if (!found.empty()) std::memcpy(to, found.data(), found.size());
    return to + columns;
  }
  CLADE_CHECK(static_cast<Index>(found.size()) == columns * static_cast<Index>(sizeof(float)));
  for (Index c = 0; c < columns; ++c) {
    float value{};
    std::memcpy(&value, found.data() + c * static_cast<Index>(sizeof(float)), sizeof(value));
    to[c] = static_cast<T>(value);
  }
  return to + columns;
}

// The rows of all chunks, and then some of zeros.
template <class T>
DenseMatrix<T> joined(const DenseMatrix<T>& /*like*/, const std::vector<std::string>& chunks, Index rows, Index zeros,
                      Index columns) {
  DenseMatrix<T> m{rows + zeros, columns, Buffer<T>((rows + zeros) * columns)};
  T* to = m.values.data();
  for (const std::string& chunk : chunks) {
    for (ByteReader bytes(chunk); !bytes.is_at_end();) to = take_values(bytes, to, columns);
  }
  std::fill(to, m.values.end(), T{0});
  return m;
}

template <class T>
SparseMatrix<T> joined(const SparseMatrix<T>& /*like*/, const std::vector<std::string>& chunks, Index rows, Index zeros,
                       Index columns) {
  SparseMatrix<T> m{rows + zeros, columns, Buffer<Index>(rows + zeros + 1), {}, {}};
  Index row = 0;
  m.offsets[0] = 0;
  for (const std::string& chunk : chunks) {
    for (ByteReader bytes(chunk); !bytes.is_at_end(); ++row) {
      m.offsets[row + 1] = m.offsets[row] + static_cast<Index>(bytes.bytes().size() / sizeof(FeatureIndex));
      bytes.bytes();
    }
  }
  for (; row < rows + zeros; ++row) m.offsets[row + 1] = m.offsets[row];
  m.indices = Buffer<FeatureIndex>(m.offsets[row]);
  m.values = Buffer<T>(m.offsets[row]);
  Index at = 0;
  for (const std::string& chunk : chunks) {
    for (ByteReader bytes(chunk); !bytes.is_at_end();) {
      take(bytes, m.indices.data() + at);
      at += take(bytes, m.values.data() + at);
    }
  }
  return m;
}

std::string packed_rows(const Dataset& data, const std::vector<Index>& rows) {
  return std::visit(
      [&](const auto& m) {
        ByteWriter bytes(bytes_of(m, rows));
        put_rows(m, rows, bytes);
        return bytes.take();
      },
      data.matrix());
}

// How samples are called: by names, or else by numbers.
struct SampleNames {
  bool are_names = false;
  std::vector<std::string> names;
  std::vector<Index> numbers;

  void add(const Dataset& data, Index sample) {
    if (are_names) {
      names.push_back(data.sample_name(sample));
    } else {
      numbers.push_back(data.sample_number(sample));
    }
  }
};

// What a data set is besides its rows.
struct Frame {
  LabelSets labels;   // of all samples
  SampleNames names;  // of those that this process has
  std::shared_ptr<const RowParts> parts;
};

// The rows of the chunks, and one of zeros.
FeatureMatrix rows_of(const Dataset& like, const std::vector<std::string>& chunks, Index rows) {
  return std::visit([&](const auto& m) { return FeatureMatrix(joined(m, chunks, rows, 1, m.columns)); }, like.matrix());
}

// The rows of a data set that is no view, and one of zeros. What was large is not copied where that is possible.
template <class T>
FeatureMatrix with_row_of_zeros(const DenseMatrix<T>& m, const Dataset& /*owner*/) {
  DenseMatrix<T> result{m.rows + 1, m.columns, Buffer<T>((m.rows + 1) * m.columns)};
  std::fill(std::ranges::copy(m.values, result.values.begin()).out, result.values.end(), T{0});
  return result;
}

template <class T>
FeatureMatrix with_row_of_zeros(const SparseMatrix<T>& m, const Dataset& owner) {
  const auto kept = std::make_shared<const Dataset>(owner);
  SparseMatrix<T> result{m.rows + 1, m.columns, Buffer<Index>(m.rows + 2),
                         Buffer<FeatureIndex>::borrowed(m.indices.data(), m.nonzeros(), kept),
                         Buffer<T>::borrowed(m.values.data(), m.nonzeros(), kept)};
  result.offsets[0] = 0;
  std::copy_n(m.offsets.begin(), m.offsets.size(), result.offsets.begin());
  result.offsets[m.rows + 1] = m.nonzeros();
  return result;
}

FeatureMatrix with_row_of_zeros(const Dataset& own) {
  if (!own.is_view()) return std::visit([&](const auto& m) { return with_row_of_zeros(m, own); }, own.matrix());
  std::vector<Index> rows;
  for (Index s = 0; s < own.samples(); ++s) rows.push_back(own.source_row(s));
  return rows_of(own, {packed_rows(own, rows)}, own.samples());
}

// The samples in `held`, ascending, have the rows of `features`; the others the last one, of zeros.
Dataset partial_dataset(const Dataset& like, FeatureMatrix features, const std::vector<Index>& held, Frame frame) {
  const Index rows = std::ssize(held);
  Dataset::Parts parts;
  parts.features = std::move(features);
  parts.labels.offsets.assign(static_cast<std::size_t>(rows) + 2, 0);
  parts.taxonomy = like.taxonomy();
  if (frame.names.are_names) {
    parts.sample_names = std::move(frame.names.names);
    parts.sample_names.emplace_back();
  } else {
    parts.row_numbers = std::move(frame.names.numbers);
    parts.row_numbers.push_back(-1);
  }
  parts.feature_names.assign(like.feature_names().begin(), like.feature_names().end());
  parts.vectorizer = like.vectorizer();
  parts.replacement = like.replacement();
  std::vector<Index> row_of(static_cast<std::size_t>(frame.labels.samples()), rows);
  for (Index row = 0; row < rows; ++row) row_of[static_cast<std::size_t>(held[static_cast<std::size_t>(row)])] = row;
  return Dataset(std::move(parts))
      .subset(std::move(row_of))
      .relabelled(like.taxonomy(), std::move(frame.labels))
      .with_row_parts(std::move(frame.parts));
}

LabelSets all_labels(const Dataset& data) {
  LabelSets labels;
  for (Index s = 0; s < data.samples(); ++s) {
    const auto own = data.labels(s);
    labels.nodes.insert(labels.nodes.end(), own.begin(), own.end());
    labels.offsets.push_back(std::ssize(labels.nodes));
  }
  return labels;
}

// What all processes have for this one, by their number; bytes_for(process) is what this one has for another.
template <class BytesFor>
std::vector<std::string> exchanged(Team& team, const BytesFor& bytes_for) {
  std::vector<std::string> chunks(static_cast<std::size_t>(team.size()));
  // Everybody begins with another one, so that nobody gets everything at once.
  for (int step = 0; step < team.size(); ++step) {
    const int to = (team.rank() + step) % team.size();
    std::string bytes = bytes_for(to);
    if (to == team.rank()) {
      chunks[static_cast<std::size_t>(to)] = std::move(bytes);
    } else {
      team.processes().send(to, Topic::kRows, std::move(bytes));
    }
  }
  for (int from = 0; from < team.size(); ++from) {
    if (from != team.rank()) chunks[static_cast<std::size_t>(from)] = team.processes().receive(from, Topic::kRows);
  }
  return chunks;
}

// The rows of the matrix that this process has.
std::vector<Index> own_rows(const Dataset& data) {
  const RowParts& parts = *data.row_parts();
  std::vector<Index> rows;
  for (Index s = parts.first[static_cast<std::size_t>(parts.own)];
       s < parts.first[static_cast<std::size_t>(parts.own) + 1]; ++s) {
    rows.push_back(data.source_row(s));
  }
  return rows;
}

}  // namespace

WantedRows::WantedRows(const RowParts& parts)
    : own_(parts.own),
      begin_(parts.first[static_cast<std::size_t>(own_)]),
      end_(parts.first[static_cast<std::size_t>(own_) + 1]),
      is_wanted_(parts.first.size() - 1, std::vector<char>(static_cast<std::size_t>(end_ - begin_), 0)) {
  is_wanted_[static_cast<std::size_t>(own_)].assign(static_cast<std::size_t>(parts.first.back()), 0);
}

void WantedRows::add(int process, Index sample) {
  std::vector<char>& wanted = is_wanted_[static_cast<std::size_t>(process)];
  if (process == own_) {
    wanted[static_cast<std::size_t>(sample)] = 1;
  } else if (begin_ <= sample && sample < end_) {
    wanted[static_cast<std::size_t>(sample - begin_)] = 1;
  }
}

std::vector<std::vector<Index>> WantedRows::rows() const {
  std::vector<std::vector<Index>> rows(is_wanted_.size());
  for (std::size_t process = 0; process < rows.size(); ++process) {
    const Index first = static_cast<int>(process) == own_ ? 0 : begin_;
    for (Index s = 0; s < std::ssize(is_wanted_[process]); ++s) {
      if (is_wanted_[process][static_cast<std::size_t>(s)] != 0) rows[process].push_back(first + s);
    }
  }
  return rows;
}

Dataset with_labels_of_others(const Dataset& own, Storage storage, Team& team, Context& ctx) {
  const LabelSets labels = all_labels(own);
  // Of a view, the rows that were left out count, too: samples are called by the numbers of their rows in all files.
  const Index own_count = row_count(own.matrix());
  const std::vector<std::string> all =
      all_gather(team.processes(),
                 ByteWriter().put(labels.offsets).put(labels.nodes).put(own_count).put(own.has_sample_names()).take());
  Frame frame;
  RowParts parts{.first = {0}, .own = team.rank()};
  Index rows_before = 0;
  for (const std::string& text : all) {
    LabelSets some;
    ByteReader known(text);
    known.get(some.offsets).get(some.nodes);
    const Index before = std::ssize(frame.labels.nodes);
    frame.labels.nodes.insert(frame.labels.nodes.end(), some.nodes.begin(), some.nodes.end());
    for (std::size_t s = 1; s < some.offsets.size(); ++s) frame.labels.offsets.push_back(before + some.offsets[s]);
    const auto count = known.get<Index>();
    if (std::ssize(parts.first) <= team.rank()) rows_before += count;
    parts.first.push_back(frame.labels.samples());
    frame.names.are_names = known.get<bool>() || frame.names.are_names;
  }
  std::vector<Index> held;
  for (Index s = 0; s < own.samples(); ++s) {
    held.push_back(parts.first[static_cast<std::size_t>(parts.own)] + s);
    frame.names.add(own, s);
  }
  for (Index& number : frame.names.numbers) number += rows_before;
  frame.parts = std::make_shared<const RowParts>(std::move(parts));
  std::vector<std::string> notes;
  FeatureMatrix features = with_row_of_zeros(own);
  const Precision precision = is_single_precision(features) ? Precision::kFloat : Precision::kDouble;
  features = stored_as(std::move(features), storage, precision, notes, ctx);
  return partial_dataset(own, std::move(features), held, std::move(frame));
}

Dataset with_rows(const Dataset& data, const std::vector<std::vector<Index>>& wanted, Team& team) {
  const RowParts& parts = *data.row_parts();
  const auto own = static_cast<std::size_t>(parts.own);
  // Of the samples that a process wants, those that this one has.
  const auto held_for = [&](int process) {
    const std::vector<Index>& samples = wanted[static_cast<std::size_t>(process)];
    return std::span(std::ranges::lower_bound(samples, parts.first[own]),
                     std::ranges::lower_bound(samples, parts.first[own + 1]));
  };
  const std::vector<std::string> chunks = exchanged(team, [&](int to) {
    std::vector<Index> rows;
    for (const Index sample : held_for(to)) rows.push_back(data.source_row(sample));
    return packed_rows(data, rows);
  });
  const std::vector<std::string> called = exchanged(team, [&](int to) {
    SampleNames names{.are_names = data.has_sample_names()};
    for (const Index sample : held_for(to)) names.add(data, sample);
    return ByteWriter().put(names.names).put(names.numbers).take();
  });
  Frame frame{all_labels(data), {.are_names = data.has_sample_names()}, data.row_parts()};
  for (const std::string& text : called) {
    SampleNames some;
    ByteReader(text).get(some.names).get(some.numbers);
    frame.names.names.insert(frame.names.names.end(), some.names.begin(), some.names.end());
    frame.names.numbers.insert(frame.names.numbers.end(), some.numbers.begin(), some.numbers.end());
  }
  return partial_dataset(data, rows_of(data, chunks, std::ssize(wanted[own])), wanted[own], std::move(frame));
}

Dataset own_blocks(const Dataset& data, const EvenBlocks& blocks) {
  Team& team = blocks.sums().team();
  const auto [begin, end] = blocks.own_rows();
  std::vector<Index> own(static_cast<std::size_t>(end - begin));
  std::iota(own.begin(), own.end(), begin);
  if (!data.row_parts()) return std::ssize(own) == data.samples() ? data : data.subset(std::move(own));
  if (team.size() == 1) return data.with_row_parts(nullptr);
  WantedRows wanted(*data.row_parts());
  for (int process = 0; process < team.size(); ++process) {
    const auto [first, last] = blocks.rows_of_process(process);
    for (Index sample = first; sample < last; ++sample) wanted.add(process, sample);
  }
  return with_rows(data, wanted.rows(), team).with_row_parts(nullptr).subset(std::move(own));
}

std::vector<std::string> all_sample_names(const Dataset& data, Team& team) {
  const auto [begin, end] = [&]() -> std::pair<Index, Index> {
    if (!data.row_parts()) return {0, data.samples()};
    const RowParts& parts = *data.row_parts();
    return {parts.first[static_cast<std::size_t>(parts.own)], parts.first[static_cast<std::size_t>(parts.own) + 1]};
  }();
  std::vector<std::string> own;
  for (Index sample = begin; sample < end; ++sample) own.push_back(data.sample_name(sample));
  if (team.size() == 1) return own;
  std::vector<std::string> all;
  for (const std::string& text : gather(team.processes(), 0, ByteWriter().put(own).take())) {
    ByteReader(text).get(own);
    all.insert(all.end(), std::make_move_iterator(own.begin()), std::make_move_iterator(own.end()));
  }
  return all;
}

Dataset with_columns(const Dataset& data, const std::vector<Index>& first, Team& team) {
  const std::vector<Index> rows = own_rows(data);
  const auto begin_of = [&](int process) { return first[static_cast<std::size_t>(process)]; };
  const std::vector<std::string> chunks = exchanged(team, [&](int to) {
    ByteWriter bytes;
    std::visit([&](const auto& m) { put_columns(m, rows, begin_of(to), begin_of(to + 1), bytes); }, data.matrix());
    return bytes.take();
  });
  const Index begin = begin_of(team.rank());
  const Index end = begin_of(team.rank() + 1);
  Dataset::Parts parts;
  std::visit([&](const auto& m) { parts.features = joined(m, chunks, data.samples(), 0, end - begin); }, data.matrix());
  parts.labels = all_labels(data);
  parts.taxonomy = data.taxonomy();
  // Numbers, too, are those of the whole.
  for (Index f = begin; f < end; ++f) parts.feature_names.push_back(data.feature_name(static_cast<FeatureIndex>(f)));
  return Dataset(std::move(parts));
}

std::vector<Index> equal_columns(const Dataset& data, Team& team) {
  std::vector<Index> values(static_cast<std::size_t>(data.features()), 0);
  const auto count = [&](const auto& m, Index row) {
    if constexpr (requires { m.indices; }) {
      for (const FeatureIndex f : m.row_indices(row)) ++values[static_cast<std::size_t>(f)];
    } else {
      for (Index& v : values) ++v;
    }
  };
  std::visit(
      [&](const auto& m) {
        for (const Index row : own_rows(data)) count(m, row);
      },
      data.matrix());
  std::vector<Index> total(values.size(), 1);
  for (const std::string& text : all_gather(team.processes(), ByteWriter().put(values).take())) {
    ByteReader(text).get(values);
    std::ranges::transform(total, values, total.begin(), std::plus<>());
  }
  const auto processes = static_cast<Index>(team.size());
  const Index all = std::accumulate(total.begin(), total.end(), Index{0});
  std::vector<Index> first{0};
  Index before = 0;
  for (Index f = 0; f < data.features(); ++f) {
    while (std::ssize(first) < processes && before >= all / processes * std::ssize(first)) first.push_back(f);
    before += total[static_cast<std::size_t>(f)];
  }
  while (std::ssize(first) <= processes) first.push_back(data.features());
  return first;
}

}  // namespace clade
