#include <clade/predictions.h>
#include <fmt/core.h>

#include "core/check.h"
#include "io/compress.h"
#include "io/csv/csv_record.h"
#include "io/lines.h"
#include "io/predictions/predictions.h"
#include "io/predictions/sample_file.h"
#include "io/predictions/sample_index.h"

namespace clade {
namespace {

enum Column : std::size_t { kSample, kCluster, kColumns };

// The contents of the rows, in file order.
struct ClusterRows {
  Buffer<Index> samples;
  Buffer<Index> clusters;        // numbers in the chunk's own table of names
  std::vector<NameTable> names;  // by chunk
};

void parse_chunk(const SampleFile& file, const RowChunk& chunk, const SampleIndex& index, ClusterRows& parsed,
                 NameTable& names) {
  SampleRows<kColumns> rows(file, chunk, {file.column("sample"), file.column("cluster")});
  Index sample = -1;
  while (rows.next()) {
    sample = find_sample(rows, kSample, index, sample);
    const std::string_view cluster = rows.text(kCluster);
    if (cluster.empty()) {
      throw input_error(rows.place(kCluster), "no cluster", "expected the name or number of one");
    }
    parsed.samples[rows.row()] = sample;
    parsed.clusters[rows.row()] = names.add(cluster);
  }
}

ClusterRows parse_rows(const SampleFile& file, const Dataset& data, Context& ctx) {
  const SampleIndex index(data, {.file = file.text.input.name()});
  ClusterRows parsed{.samples = Buffer<Index>(file.rows),
                     .clusters = Buffer<Index>(file.rows),
                     .names = std::vector<NameTable>(file.chunks.size())};
  parse_sample_chunks(ctx, file, [&](Index k) {
    const auto c = static_cast<std::size_t>(k);
    parse_chunk(file, file.chunks[c], index, parsed, parsed.names[c]);
  });
  return parsed;
}

// Turns the chunks' own numbers into common ones.
void unite_names(const SampleFile& file, ClusterRows& parsed) {
  NameTable all;
  for (std::size_t k = 0; k < file.chunks.size(); ++k) {
    std::vector<Index> common;
    for (Index n = 0; n < parsed.names[k].size(); ++n) common.push_back(all.add(parsed.names[k].name(n)));
    const Index begin = file.chunks[k].first_row;
    for (Index r = begin; r < begin + file.chunks[k].rows; ++r) {
      parsed.clusters[r] = common[static_cast<std::size_t>(parsed.clusters[r])];
    }
  }
}

// The row of each sample.
std::vector<Index> rows_by_sample(const SampleFile& file, const ClusterRows& parsed, const Dataset& data) {
  std::vector<Index> row_of(static_cast<std::size_t>(data.samples()), -1);
  for (Index r = 0; r < file.rows; ++r) {
    Index& row = row_of[static_cast<std::size_t>(parsed.samples[r])];
    if (row >= 0) {
      throw input_error(file.at_row(r),
                        fmt::format("sample '{}' has a cluster in line {} already",
                                    shown(data.sample_name(parsed.samples[r])), file.at_row(row).line),
                        "expected one row per sample");
    }
    row = r;
  }
  file.refuse_missing_samples(data, "cluster", [&](Index s) { return row_of[static_cast<std::size_t>(s)] < 0; });
  return row_of;
}

}  // namespace

std::vector<Index> parse_clusters(const Input& input, const Dataset& data, Context& ctx) {
  const SampleFile file = SampleFile::of(input, "sample,cluster", {"sample", "cluster"}, ctx);
  file.refuse_header_alone(data);
  ClusterRows parsed = parse_rows(file, data, ctx);
  std::vector<Index> result = rows_by_sample(file, parsed, data);
  unite_names(file, parsed);
  std::vector<Index> number(static_cast<std::size_t>(file.rows), -1);  // by common number; no more than rows
  Index clusters = 0;
  for (Index& entry : result) {
    Index& cluster = number[static_cast<std::size_t>(parsed.clusters[entry])];
    if (cluster < 0) cluster = clusters++;
    entry = cluster;
  }
  return result;
}

std::vector<Index> read_clusters(const std::string& path, const Dataset& data, Context& ctx) {
  return parse_clusters(Input::open(path, ctx), data, ctx);
}

void write_clusters(std::span<const Index> clusters, const Dataset& data, const std::string& path, bool overwrite) {
  CLADE_CHECK(std::ssize(clusters) == data.samples());
  const SampleIndex unambiguous(data, {});
  OutputFile file(path, overwrite);
  write_through(file, [&](Sink& sink) {
    sink.write("sample,cluster\n");
    for (Index s = 0; s < data.samples(); ++s) {
      const std::string name = data.sample_name(s);
      if (first_invalid_utf8(name) != std::string_view::npos || name.find('\0') != std::string_view::npos) {
        throw input_error({}, fmt::format("clusters cannot be written: name '{}'", shown(name)),
                          "expected UTF-8 text without zero bytes");
      }
      std::string line;
      append_csv_field(line, name, "\"\r\n,");
      sink.write(fmt::format("{},{}\n", line, clusters[static_cast<std::size_t>(s)]));
    }
  });
  file.commit();
}

}  // namespace clade
