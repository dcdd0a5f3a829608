#include <clade/cluster.h>
#include <fmt/core.h>

#include "core/check.h"
#include "io/compress.h"
#include "io/csv/csv_record.h"
#include "io/lines.h"
#include "io/predictions/sample_index.h"

namespace clade {

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
