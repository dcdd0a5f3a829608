#pragma once

#include "core/output_file.h"
#include "io/format.h"

namespace clade {

// NumPy .npy and .npz: docs/formats/npy.md says what is read and written, to the byte.
ParsedData read_npy(const Input& input, const ReadOptions& options, Context& ctx);
ParsedData read_npz(const Input& input, const ReadOptions& options, Context& ctx);
void write_npy(const Dataset& data, const WriteOptions& options, Sink& sink, Context& ctx);
void write_npz(const Dataset& data, const WriteOptions& options, Sink& sink, Context& ctx);
DataFormat::Holds npy_holds(const Dataset& data);
DataFormat::Holds npz_holds(const Dataset& data);

}  // namespace clade
