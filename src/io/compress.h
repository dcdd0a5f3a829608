#pragma once

#include <clade/context.h>

#include <memory>
#include <string>

#include "core/output_file.h"

namespace clade {

// A sink that compresses its input and passes it on to `target`; finish() writes the end of the stream.
class CompressingSink : public Sink {
 public:
  virtual void finish() = 0;
};

// By the ending of the path: .gz, .xz, .zst or .bz2. Null if it has none of them. `target` must outlive the result.
// gzip and Zstandard are written in pieces that can be unpacked beside each other (docs/formats/README.md), and that
// all threads of `ctx` pack if it is given; the bytes do not depend on it.
std::unique_ptr<CompressingSink> compressing_sink(const std::string& path, Sink& target, Context* ctx = nullptr);

// Runs `write` on a sink that ends in `target`, through compression if the path asks for it.
template <class Write>
void write_through(const std::string& path, Sink& target, Write&& write, Context* ctx = nullptr) {
  const auto compressing = compressing_sink(path, target, ctx);
  if (compressing == nullptr) return write(target);
  write(static_cast<Sink&>(*compressing));
  compressing->finish();
}
template <class Write>
void write_through(OutputFile& file, Write&& write, Context* ctx = nullptr) {
  write_through(file.path(), file, write, ctx);
}

}  // namespace clade
