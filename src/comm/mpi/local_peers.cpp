#include "comm/mpi/local_peers.h"

#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

namespace clade {

ProcessPlace own_place() {
  ProcessPlace place;
  ::gethostname(place.host.data(), place.host.size() - 1);
  std::ifstream("/proc/sys/kernel/random/boot_id").getline(place.boot.data(), place.boot.size());
  struct stat space{};
  if (::stat("/proc/self/ns/pid", &space) == 0) place.number_space = space.st_ino;
  place.process = ::getpid();
  return place;
}

LocalPeers::LocalPeers(const std::vector<ProcessPlace>& places, int own) : own_(own) {
  const ProcessPlace& here = places[static_cast<std::size_t>(own)];
  for (int rank = 0; rank < static_cast<int>(places.size()); ++rank) {
    const ProcessPlace& place = places[static_cast<std::size_t>(rank)];
    const bool is_here = place.boot == here.boot && place.number_space == here.number_space;
    if (rank == own || !is_here || here.number_space == 0) continue;
    // Where the system is too old for this, signs of life have to do.
    const auto descriptor = static_cast<int>(::syscall(SYS_pidfd_open, place.process, 0));
    if (descriptor >= 0) peers_.push_back({rank, descriptor});
  }
}

LocalPeers::~LocalPeers() {
  for (const Peer& peer : peers_) ::close(peer.descriptor);
}

std::vector<int> LocalPeers::ended() const {
  std::vector<pollfd> polled;
  for (const Peer& peer : peers_) polled.push_back({.fd = peer.descriptor, .events = POLLIN, .revents = 0});
  std::vector<int> found;
  if (::poll(polled.data(), polled.size(), 0) <= 0) return found;
  for (std::size_t k = 0; k < polled.size(); ++k) {
    if ((polled[k].revents & POLLIN) != 0) found.push_back(peers_[k].rank);
  }
  return found;
}

int LocalPeers::first_living() const {
  const std::vector<int> gone = ended();
  int first = own_;
  for (const Peer& peer : peers_) {
    if (!std::ranges::binary_search(gone, peer.rank)) first = std::min(first, peer.rank);
  }
  return first;
}

}  // namespace clade
