#include "comm/block_sums.h"

#include <bit>
#include <cstdint>
#include <string>
#include <utility>

#include "comm/collectives.h"
#include "core/byte_string.h"
#include "core/check.h"

namespace clade {
namespace {

std::span<const double> numbers_of(const Vector& v) {
  return {v.data(), static_cast<std::size_t>(v.size())};
}

std::size_t bytes_of(const Vector& v) {
  return sizeof(std::uint64_t) + numbers_of(v).size_bytes();
}

Vector vector_of(ByteReader& bytes) {
  const auto numbers = bytes.get<std::vector<double>>();
  return Eigen::Map<const Vector>(numbers.data(), std::ssize(numbers));
}

}  // namespace

BlockSums::BlockSums(Team& team, int blocks) : team_(&team), blocks_(blocks) {
  CLADE_CHECK(blocks > 0 && std::has_single_bit(static_cast<unsigned>(blocks)));
}

std::pair<int, int> BlockSums::of(int process) const {
  const auto begin_of = [&](Index p) { return static_cast<int>(p * blocks_ / team_->size()); };
  return {begin_of(process), begin_of(process + 1)};
}

Vector BlockSums::sum(Index numbers, const std::function<void(int, Vector&)>& add) const {
  std::vector<Part> parts;
  const auto [first, end] = own();
  for (int begin = first; begin < end;) {
    int count = 1;
    while (begin % (2 * count) == 0 && begin + 2 * count <= end) count *= 2;
    append(parts, part_of(begin, count, numbers, add));
    begin += count;
  }
  hand_on(parts);
  std::string bytes;
  if (team_->leads()) {
    CLADE_CHECK(parts.size() == 1 && parts[0].count == blocks_);
    if (team_->size() == 1) return std::move(parts[0].sum);
    bytes = ByteWriter(bytes_of(parts[0].sum)).put(numbers_of(parts[0].sum)).take();
  }
  broadcast(team_->processes(), 0, bytes);
  ByteReader reader(bytes);
  return vector_of(reader);
}

BlockSums::Part BlockSums::part_of(int begin, int count, Index numbers,
                                   const std::function<void(int, Vector&)>& add) const {
  if (count == 1) {
    Part part{begin, count, Vector::Zero(numbers)};
    add(begin, part.sum);
    return part;
  }
  Part part = part_of(begin, count / 2, numbers, add);
  part.sum += part_of(begin + count / 2, count / 2, numbers, add).sum;
  part.count = count;
  return part;
}

// Adds up as far as neighbours belong together.
void BlockSums::append(std::vector<Part>& parts, Part part) {
  while (!parts.empty() && parts.back().count == part.count && parts.back().begin % (2 * part.count) == 0) {
    parts.back().sum += part.sum;
    parts.back().count *= 2;
    part = std::move(parts.back());
    parts.pop_back();
  }
  parts.push_back(std::move(part));
}

// Up a binomial tree, to the leader: a process gets the blocks that follow its own.
void BlockSums::hand_on(std::vector<Part>& parts) const {
  Communicator& processes = team_->processes();
  for (int step = 1; step < team_->size(); step *= 2) {
    if ((team_->rank() & step) != 0) {
      std::size_t size = 0;
      for (const Part& part : parts) size += 2 * sizeof(int) + bytes_of(part.sum);
      ByteWriter bytes(size);
      for (const Part& part : parts) bytes.put(part.begin).put(part.count).put(numbers_of(part.sum));
      processes.send(team_->rank() - step, Topic::kSums, bytes.take());
      return;
    }
    if (team_->rank() + step >= team_->size()) continue;
    const std::string bytes = processes.receive(team_->rank() + step, Topic::kSums);
    for (ByteReader reader(bytes); !reader.is_at_end();) {
      const int begin = reader.get<int>();
      const int count = reader.get<int>();
      append(parts, {begin, count, vector_of(reader)});
    }
  }
}

}  // namespace clade
