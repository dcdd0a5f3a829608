#include "comm/start.h"

#include <clade/error.h>
#include <clade/version.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <thread>
#include <vector>

#include "comm/collectives.h"
#include "comm/mpi/mpi_plugin.h"
#include "core/output_file.h"

namespace clade {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kLibrary = "clade_mpi.so";

const char* variable(const char* name) {
  return std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nothing sets variables meanwhile
}

// This process's number, as it was started; null: it was started alone.
const char* own_number() {
  for (const char* const name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"}) {
    if (const char* const number = variable(name)) return number;
  }
  return nullptr;
}

// Before they have met, processes that have the same to say cannot agree on who says it. The first does at once, and
// the next after these seconds: mpirun ends them with the first.
double turn() {
  constexpr double kTurn = 3;
  return kTurn * std::clamp(std::atoi(own_number()), 0, 2);
}

std::string own_place() {
  return fmt::format("rank {} on {}", own_number(), Alone().host(0));
}

// For tests: seconds until a process counts as lost.
double seconds_of(const char* name, double otherwise) {
  const char* const text = variable(name);
  return text == nullptr ? otherwise : std::atof(text);
}

std::vector<fs::path> places() {
  if (const char* const path = variable("CLADE_MPI")) return {path};
  std::error_code failure;
  const fs::path folder = fs::read_symlink("/proc/self/exe", failure).parent_path();
  return {folder / kLibrary, folder / ".." / "lib" / "clade" / kLibrary};
}

template <class Function>
Function function_of(void* library, const char* name) {
  return reinterpret_cast<Function>(::dlsym(library, name));
}

Error no_mpi(const std::string& problem, const std::string& expected) {
  return {Error::Kind::kSystem, {}, own_place() + " was started together with others, but " + problem, expected};
}

void* open_library() {
  std::string reason;
  for (const fs::path& path : places()) {
    if (!fs::exists(path)) continue;
    // What MPI loads later must find its functions.
    if (void* const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL)) return library;
    reason = ::dlerror();
  }
  if (reason.empty()) {
    throw no_mpi(fmt::format("{} is not there", kLibrary), "build Clade where Open MPI is installed, or set CLADE_MPI");
  }
  throw no_mpi("MPI cannot be loaded: " + reason, "install Open MPI");
}

}  // namespace

bool was_started_with_others() {
  return own_number() != nullptr;
}

namespace {

std::unique_ptr<Communicator> start_mpi(const TeamCallbacks& callbacks) {
  void* const library = open_library();
  const auto version = function_of<MpiPluginVersion>(library, kMpiPluginVersion);
  const auto start = function_of<MpiPluginStart>(library, kMpiPluginStart);
  if (version == nullptr || start == nullptr || std::string_view(version()) != CLADE_VERSION) {
    throw no_mpi(fmt::format("{} is of another version", kLibrary), "expected that of Clade " CLADE_VERSION);
  }
  MpiStart how{.print = callbacks.print, .give_up = callbacks.give_up, .was_asked = callbacks.was_asked};
  how.remove_temporary_files = remove_temporary_files;
  how.place = own_place();
  how.silence = seconds_of("CLADE_TEAM_SILENCE", how.silence);
  how.patience = seconds_of("CLADE_TEAM_PATIENCE", how.patience);
  how.meeting = seconds_of("CLADE_TEAM_MEETING", how.meeting) + turn();
  how.parting = seconds_of("CLADE_TEAM_MEETING", how.parting) + turn();
  std::string problem;
  std::unique_ptr<Communicator> team(start(how, problem));
  if (!team) throw no_mpi(problem, "expected a working Open MPI");
  return team;
}

}  // namespace

std::unique_ptr<Communicator> start_team(const TeamCallbacks& callbacks) {
  if (!was_started_with_others()) return std::make_unique<Alone>();
  try {
    return start_mpi(callbacks);
  } catch (const Error&) {
    std::this_thread::sleep_for(std::chrono::duration<double>(turn()));
    throw;
  }
}

void require_same(Communicator& team, const std::string& what, const std::string& text) {
  if (team.size() == 1) return;
  const std::vector<std::string> all = all_gather(team, text);
  for (int rank = 1; rank < team.size(); ++rank) {
    const std::string& other = all[static_cast<std::size_t>(rank)];
    if (other == all[0]) continue;
    throw usage_error(fmt::format("{} differs between processes: rank 0 on {} has '{}', and rank {} on {} '{}'", what,
                                  team.host(0), all[0], rank, team.host(rank), other),
                      "expected the same for all");
  }
}

}  // namespace clade
