#pragma once

#include <memory>

#include "io/input.h"
#include "io/mat/mat_arrays.h"

namespace clade {

// MATLAB 7.3: an HDF5 file in which attributes say what MATLAB makes of datasets and groups. `input` must outlive the
// file.
std::unique_ptr<MatFile> open_mat73(const Input& input);

}  // namespace clade
