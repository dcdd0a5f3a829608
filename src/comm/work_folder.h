#pragma once

#include <clade/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace clade {

// A folder with the finished pieces of a job, so that a run which was interrupted goes on where it was, on any number
// of processes. Every piece is a file of its own that appears whole or not at all, with a checksum of what it
// holds and which piece of which job it is. Several processes, and threads of each, may keep different pieces at the
// same time.
class WorkFolder {
 public:
  // What the job was begun with, by name: a run goes on only with the same.
  using Facts = std::vector<std::pair<std::string, std::string>>;

  // Throws Error (kInput) if the folder holds something and `resumes` is false, or if it belongs to a job with other
  // facts. `leads`: makes the folder and writes down the facts; one process does, before the others open it.
  WorkFolder(std::string folder, bool resumes, const Facts& facts, bool leads);

  // `job` names what the pieces are of, in letters, digits and '-'.
  void keep(std::string_view job, Index piece, std::string_view bytes) const;
  // Nothing if the piece is not there, is damaged, or is another piece.
  std::optional<std::string> find(std::string_view job, Index piece) const;
  const std::string& folder() const { return folder_; }

 private:
  std::string file_of(std::string_view job, Index piece) const;
  // What sets the piece apart from all others.
  std::string identity_of(std::string_view job, Index piece) const;
  void begin(bool resumes, const Facts& facts) const;
  void join() const;

  std::string folder_;
  std::string facts_;  // as they are written down
};

}  // namespace clade
