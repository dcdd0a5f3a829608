#include "cli/team_arguments.h"

#include <clade/error.h>
#include <clade/version.h>
#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "report/version_report.h"

namespace clade::cli {
namespace {

// With what is beside some: names and hierarchy.
std::vector<std::string> with_files_beside(const std::vector<std::string>& parts) {
  std::vector<std::string> files = parts;
  std::error_code unknown;
  for (const std::string& part : parts) {
    if (std::filesystem::exists(part + ".meta.json", unknown)) files.push_back(part + ".meta.json");
  }
  return files;
}

}  // namespace

void TeamArguments::declare(Arguments& arguments) {
  arguments.option("--work", "FOLDER", folder_,
                   "keep finished pieces of the work here, so that --resume can go on after an interruption");
  arguments.flag("--resume", resumes_, "with --work: go on with what is there, on any number of processes");
}

bool TeamArguments::has_to_agree(Context& ctx) const {
  if (resumes_ && folder_.empty()) throw usage_error("--resume has no effect", "expected --work FOLDER with it");
  return ctx.team() != nullptr && (size(*ctx.team()) > 1 || !folder_.empty());
}

void TeamArguments::agree(WorkFacts data, const std::vector<std::string>& files, const CommonOptions& common,
                          Context& ctx) {
  Team& team = *ctx.team();
  WorkFacts facts{
      {"version of Clade", CLADE_VERSION}, {"build of Clade", build_line(program_build)}, {"command", common.request}};
  for (auto& fact : data) facts.push_back(std::move(fact));
  facts.emplace_back("seed", std::to_string(ctx.seed()));
  for (const std::string& file : files) {
    if (file.empty()) continue;
    facts.emplace_back("file " + file, file_fingerprint(file));
    require_same(team, file, facts.back().second);
  }
  if (!folder_.empty()) keep_work(team, folder_, resumes_, facts);
}

void TeamArguments::begin(const Dataset& data, const std::vector<std::string>& files, const CommonOptions& common,
                          Context& ctx) {
  if (!has_to_agree(ctx)) return;
  const std::string content = timed(ctx, "comparing", [&] { return fingerprint(data, ctx); });
  require_same(*ctx.team(), "the data", content);
  agree({{"data set", content}}, files, common, ctx);
}

WorkFacts TeamArguments::compare(const std::vector<std::string>& parts, Context& ctx) const {
  const std::vector<std::string> files = with_files_beside(parts);
  const FileSamples samples = sample_files(files);
  std::string sizes;
  for (std::size_t k = 0; k < files.size(); ++k) sizes += fmt::format("{} {}\n", files[k], samples.sizes[k]);
  require_same(*ctx.team(), "the parts of the data", sizes);
  require_same(*ctx.team(), "the content of the parts of the data", samples.hash);
  if (folder_.empty()) return {};
  WorkFacts contents;
  const auto found = timed(ctx, "comparing", [&] { return file_fingerprints(*ctx.team(), parts, ctx); });
  for (std::size_t k = 0; k < parts.size(); ++k) contents.emplace_back("file " + parts[k], found[k]);
  return contents;
}

void TeamArguments::begin_by_rows(const Dataset& data, const std::vector<std::string>& parts,
                                  const std::vector<std::string>& files, const CommonOptions& common, Context& ctx) {
  if (!has_to_agree(ctx)) return;
  WorkFacts facts = compare(parts, ctx);
  // Labels and hierarchy come from other files as well, such as a taxonomy, a label map or what is beside the parts.
  facts.emplace_back("hierarchy, or other labels", shared_fingerprint(data, ctx));
  require_same(*ctx.team(), "what is known of all rows (hierarchy, labels)", facts.back().second);
  agree(std::move(facts), files, common, ctx);
}

void TeamArguments::begin(const std::vector<std::string>& parts, const std::vector<std::string>& files,
                          const CommonOptions& common, Context& ctx) {
  if (has_to_agree(ctx)) agree(compare(parts, ctx), files, common, ctx);
}

}  // namespace clade::cli
