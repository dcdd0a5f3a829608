#pragma once

#include <clade/error.h>
#include <clade/types.h>

namespace clade {

// Empty rows cost no byte of a file that states its number of rows, but memory for their offsets. So that a few bytes
// cannot claim gigabytes, a file may have a million rows, and beyond that one for every two of its bytes. Throws Error
// at `where` if it claims more.
void check_row_limit(Index rows, std::size_t file_bytes, const Where& where);

}  // namespace clade
