#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace clade {

// Data larger than memory. Blocks of some megabytes that would take a program beyond its limit are put into temporary
// files, without names, that are mapped into memory: the system then writes pages that are not in use to the disk and
// reads them back when they are needed. Nothing else differs, so every result is the same.
//
// Nothing of this happens until a program sets its limit. The command-line tool does, and lets all memory that it asks
// for go through here (cli/large_memory.cpp).

// "4G", "512M" or plain bytes, for an option of this name. Throws Error (kInput).
double parse_bytes(std::string_view text, std::string_view name);

// What this process may use, in bytes: the least of the machine's memory, that of its control group, the limits of the
// shell (ulimit -d, ulimit -v), and the limit that was set.
double available_memory();

// From now on, large blocks beyond three fifths of this go into files. Small blocks, file pages and stacks take the
// rest.
void set_memory_limit(double bytes);

// Blocks from this size on count.
constexpr std::size_t kLargeBlock = std::size_t{4} << 20U;

// Says that a block of this size was taken or given back that is in memory itself.
void count_large_block(std::ptrdiff_t bytes);
// Would a further block go beyond what large blocks may take in memory? It then belongs in a file.
bool is_beyond_limit(std::size_t bytes);
// Would it still fit below the limit, with nothing left for anything else? It is then taken if no file can be had.
bool fits_below_limit(std::size_t bytes);

// A descriptor of a new file of this size that has no name, on a disk with room for it; -1 if there is none.
int make_nameless_file(std::size_t bytes);
// Makes such a file larger. False: there is no room.
bool grow_nameless_file(int descriptor, std::size_t bytes);

// A block in a file of its own, which begins at a page; null if that cannot be.
void* take_filed_block(std::size_t bytes);
// Gives it back. False: it is no such block.
bool give_back_filed_block(void* block);

// What went into files so far, for those who want to know.
struct FiledMemory {
  std::size_t bytes = 0;
  std::string folder;
};
FiledMemory filed_memory();

}  // namespace clade
