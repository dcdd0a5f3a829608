#pragma once

#include <memory>

#include "io/input.h"
#include "io/mat/mat_arrays.h"

namespace clade {

// MATLAB level 5 (what `save -v6` and `save -v7` write): a header of 128 bytes, then one element per variable, plain or
// packed by zlib, in either byte order. `input` must outlive the file.
std::unique_ptr<MatFile> open_mat5(const Input& input);

// Do the first bytes have the marks of a level 5 header?
bool looks_like_mat5(std::string_view head);

}  // namespace clade
