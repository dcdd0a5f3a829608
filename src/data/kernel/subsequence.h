#pragma once

#include <clade/types.h>

#include <span>

namespace clade {

// The gap-weighted subsequence kernel of two strings (H. Lodhi, C. Saunders, J. Shawe-Taylor, N. Cristianini, C.
// Watkins, 2002). Every pair of equal subsequences of `length` symbols, one in s at positions i_1 < ... < i_p and one
// in t at j_1 < ... < j_p, counts
//
//   decay^((i_p - i_1 + 1) + (j_p - j_1 + 1) - 2p)
//
// This is the published value divided by decay^2p, a factor that normalising cancels: with it, a long subsequence and a
// small decay would leave only zeros. With D_m(i, j) the sum over pairs of length m that end at i and j,
//
//   Q_m(i, j) = decay Q_m(i, j-1) + D_m(i, j)      P_m(i, j) = decay P_m(i-1, j) + Q_m(i, j)
//   D_1(i, j) = [s_i = t_j]      D_m(i, j) = [s_i = t_j] P_{m-1}(i-1, j-1)      k(s, t) = sum of D_p
//
// where nothing is ever subtracted. O(p |s| |t|) time; one row of each P is kept.
class SubsequenceKernel {
 public:
  SubsequenceKernel(int length, double decay) : length_(length), decay_(decay) {}

  // Strings have one number per symbol. out[k] = k(s, others[k]): 0 if a string is shorter than the subsequences, and
  // infinite if the sum overflows. Each value is the same to the last bit whatever the other strings are.
  void values(std::span<const double> s, std::span<const std::span<const double>> others, std::span<double> out) const;

 private:
  int length_;
  double decay_;
};

}  // namespace clade
