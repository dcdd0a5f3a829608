#include "comm/collectives.h"

#include <algorithm>

#include "core/byte_string.h"
#include "core/check.h"

namespace clade {
namespace {

// Processes as seen from the root, which is number 0 of the tree. The parent of a process lacks its lowest set bit, and
// below it are the numbers up to that bit.
struct Tree {
  int own = 0;
  int size = 1;
  int root = 0;

  Tree(int rank, int processes, int from) : own((rank - from + processes) % processes), size(processes), root(from) {}
  Tree(const Communicator& team, int from) : Tree(team.rank(), team.size(), from) {}
  int process(int number) const { return (number + root) % size; }
  // The step to the parent; for the root, the first that leads beyond the tree.
  int step_up() const {
    int step = 1;
    while (step < size && (own & step) == 0) step *= 2;
    return step;
  }
};

}  // namespace

void broadcast(Communicator& team, int root, std::string& bytes) {
  const Tree tree(team, root);
  const int up = tree.step_up();
  if (tree.own != 0) bytes = team.receive(tree.process(tree.own - up), Topic::kCollective);
  std::vector<int> below;
  for (int step = up / 2; step > 0; step /= 2) {
    if (tree.own + step < tree.size) below.push_back(tree.process(tree.own + step));
  }
  if (!below.empty()) team.send(below, Topic::kCollective, bytes);
}

std::vector<std::string> gather(Communicator& team, int root, std::string own) {
  const Tree tree(team, root);
  const int up = tree.step_up();
  std::vector<std::string> found{std::move(own)};  // of the numbers from tree.own on
  for (int step = 1; step < up && tree.own + step < tree.size; step *= 2) {
    auto below =
        ByteReader(team.receive(tree.process(tree.own + step), Topic::kCollective)).get<std::vector<std::string>>();
    CLADE_CHECK(std::ssize(found) == step);
    found.insert(found.end(), std::make_move_iterator(below.begin()), std::make_move_iterator(below.end()));
  }
  if (tree.own != 0) {
    team.send(tree.process(tree.own - up), Topic::kCollective, ByteWriter().put(found).take());
    return {};
  }
  std::ranges::rotate(found, found.begin() + (tree.size - root) % tree.size);
  return found;
}

std::vector<std::string> all_gather(Communicator& team, std::string own) {
  std::vector<std::string> found = gather(team, 0, std::move(own));
  std::string bytes;
  if (team.rank() == 0) bytes = ByteWriter().put(found).take();
  broadcast(team, 0, bytes);
  return team.rank() == 0 ? found : ByteReader(bytes).get<std::vector<std::string>>();
}

int sends_of_broadcast(int rank, int size) {
  const Tree tree(rank, size, 0);
  int sends = 0;
  for (int step = tree.step_up() / 2; step > 0; step /= 2) sends += tree.own + step < tree.size ? 1 : 0;
  return sends;
}

int gathered_by(int rank, int size) {
  const Tree tree(rank, size, 0);
  return rank == 0 ? 0 : std::min(tree.step_up(), size - rank);
}

void barrier(Communicator& team) {
  gather(team, 0, {});
  std::string nothing;
  broadcast(team, 0, nothing);
}

}  // namespace clade
