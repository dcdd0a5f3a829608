#pragma once

#include <clade/context.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace clade {

// The members of a ZIP archive in memory that are stored as they are, by the directory at its end: their content is
// taken where it stands, and its checksum computed by all threads, which libarchive does on one.
//
// Only plain cases are known; of anything unusual or damaged nothing is found, and whoever asks reads the archive in
// another way, which says what is wrong.
class ZipDirectory {
 public:
  explicit ZipDirectory(std::string_view file);

  // The content of the one member of this name, if it is stored and its checksum is right. Otherwise null.
  std::string_view stored(std::string_view name, Context& ctx) const;

 private:
  struct Member {
    std::string_view name;
    std::string_view content;  // null unless it is stored
    std::uint32_t checksum = 0;
  };

  bool read(std::string_view file);

  std::vector<Member> members_;
};

}  // namespace clade
