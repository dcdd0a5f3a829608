#pragma once

#include "core/output_file.h"
#include "io/format.h"

namespace clade {

// LIBSVM and SVMlight: docs/formats/libsvm.md says what is read and written, to the byte.
ParsedData read_libsvm(const Input& input, const ReadOptions& options, Context& ctx);
void write_libsvm(const Dataset& data, const WriteOptions& options, Sink& sink, Context& ctx);
DataFormat::Holds libsvm_holds(const Dataset& data);

}  // namespace clade
