#pragma once

#include <clade/dataset.h>
#include <clade/team.h>

#include <string>
#include <vector>

#include "cli/command.h"

namespace clade::cli {

// The flags of commands whose work several processes share.
class TeamArguments {
 public:
  TeamArguments() = default;
  TeamArguments(const TeamArguments&) = delete;
  TeamArguments& operator=(const TeamArguments&) = delete;

  void declare(Arguments& arguments);
  bool is_given() const { return resumes_ || !folder_.empty(); }
  // All processes have read the data: sees to it that they have the same, and opens the folder for finished pieces. The
  // command's other input files are `files`.
  void begin(const Dataset& data, const std::vector<std::string>& files, const CommonOptions& common, Context& ctx);
  // The same where every process has read its share of the rows, which are in these files.
  void begin_by_rows(const Dataset& data, const std::vector<std::string>& parts, const std::vector<std::string>& files,
                     const CommonOptions& common, Context& ctx);
  // The same where every process is going to read some of the parts of the data.
  void begin(const std::vector<std::string>& parts, const std::vector<std::string>& files, const CommonOptions& common,
             Context& ctx);

 private:
  // Is there somebody to agree with, or a folder?
  bool has_to_agree(Context& ctx) const;
  // The files of the data; for a work folder, with what they hold.
  WorkFacts compare(const std::vector<std::string>& parts, Context& ctx) const;
  void agree(WorkFacts data, const std::vector<std::string>& files, const CommonOptions& common, Context& ctx);

  std::string folder_;
  bool resumes_ = false;
};

}  // namespace clade::cli
