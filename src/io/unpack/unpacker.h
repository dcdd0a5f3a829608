#pragma once

#include <clade/context.h>
#include <clade/types.h>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "io/growing_bytes.h"

namespace clade {

// Unpacks a compressed file in rounds of some megabytes, from its beginning to its end. The tasks of a round are
// independent, so that they can run beside each other and beside whatever is done with the rounds before.
//
//   while (const Index tasks = unpacker->begin_round()) {
//     char* out = bytes.reserve(unpacker->room());
//     for every task, on any thread: unpacker->unpack(task, out);
//     unpacker->end_round(bytes);                                         the content is added to `bytes`
//   }
//
// What comes out, and the Error (kInput) for a damaged file, are those of one thread that unpacks byte after byte:
// where pieces that were unpacked by themselves do not fit together, they are dropped and unpacked again in order. No
// memory is taken because a header asks for it.
class Unpacker {
 public:
  virtual ~Unpacker() = default;
  // The number of tasks of the next round, which may give no byte; 0 at the end of the file.
  virtual Index begin_round() = 0;
  // The bytes that the tasks may write.
  virtual std::size_t room() const = 0;
  virtual void unpack(Index task, char* out) = 0;
  virtual void end_round(GrowingBytes& bytes) = 0;
  // How much of the file was used so far, about; for the progress of long work.
  virtual std::size_t used() const = 0;
};

// Is it the beginning of a .gz, .xz, .zst or .bz2 file?
bool is_compressed(std::string_view head);

// `compressed` begins like such a file and must outlive the result; `name` is its name in messages. More threads make
// larger rounds.
std::unique_ptr<Unpacker> make_unpacker(const std::string& name, std::string_view compressed, int threads);

// Runs the tasks of a round that was begun, on all threads, and ends it.
void unpack_round(Unpacker& unpacker, Index tasks, GrowingBytes& bytes, Context& ctx);

// The whole content, unpacked on all threads where the file consists of several pieces. Throws Error (kInput) if the
// file is damaged or its content is larger than largest_decompressed_size().
GrowingBytes unpacked(const std::string& name, std::string_view compressed, Context& ctx);

// Unpacks the file to see whether it is whole. Throws Error (kInput) if not.
void check_unpacks(const std::string& name, std::string_view compressed, Context& ctx);

// Throws Error (kInput) if this is more than largest_decompressed_size().
void check_unpacked_size(const std::string& name, std::size_t bytes);

}  // namespace clade
