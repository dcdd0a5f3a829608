#pragma once

#include <clade/types.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace clade {

// What an experiment has finished, in an SQLite file: whoever ends the process, and how, finds everything there that
// keep() returned from; when the machine itself stops, what came after the last save() may be missing. One process at a
// time; safe for its threads. Failures throw Error (kSystem).
class Journal {
 public:
  using Facts = std::vector<std::pair<std::string, std::string>>;

  // Opens the file, which is made if there is none. Throws Error (kInput) if another process has it open, or if it is
  // no journal.
  explicit Journal(const std::string& path);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  // What the run was begun with; empty if it has not begun.
  Facts facts();
  // All or nothing.
  void begin(const Facts& facts);
  // The results by cell.
  std::map<Index, std::string> results();
  // All or nothing. Replaces earlier results of the same cells.
  void keep(const std::vector<std::pair<Index, std::string>>& results);
  // Waits until the disk has everything. Others may go on keeping results meanwhile.
  void save();

 private:
  class Statement;
  struct Connection;

  void execute(const char* sql);

  std::string path_;
  std::mutex mutex_;
  std::unique_ptr<Connection> connection_;
  std::unique_ptr<Statement> insert_;
};

}  // namespace clade
