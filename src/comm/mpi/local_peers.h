#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace clade {

// Where a process is. Sent as bytes, so all of them are of one program.
struct ProcessPlace {
  std::array<char, 256> host{};
  std::array<char, 64> boot{};     // of the machine: containers with names of their own share it
  std::uint64_t number_space = 0;  // in which `process` is a number
  std::int64_t process = 0;
};

ProcessPlace own_place();

// The other processes of the team on this machine, as the system sees them: one that is killed is noticed at once, and
// not only when its signs of life are missed.
class LocalPeers {
 public:
  LocalPeers(const std::vector<ProcessPlace>& places, int own);
  ~LocalPeers();
  LocalPeers(const LocalPeers&) = delete;
  LocalPeers& operator=(const LocalPeers&) = delete;

  // Those that have ended, by rank, ascending.
  std::vector<int> ended() const;
  // The first that lives on this machine, perhaps this process itself.
  int first_living() const;

 private:
  struct Peer {
    int rank;
    int descriptor;
  };
  int own_;
  std::vector<Peer> peers_;
};

}  // namespace clade
