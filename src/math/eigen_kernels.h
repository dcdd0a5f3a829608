#pragma once

#include <Eigen/Core>

// The inner loops of Eigen's products of doubles are compiled once, in eigen_kernels.cpp: every file that multiplies
// would spend seconds on them. Eigen never inlines them, so nothing becomes slower.
namespace Eigen::internal {

extern template struct gebp_kernel<double, double, Index, blas_data_mapper<double, Index, ColMajor, Unaligned, 1>,
                                   gebp_traits<double, double>::mr, gebp_traits<double, double>::nr, false, false>;
extern template struct gemm_pack_lhs<double, Index, const_blas_data_mapper<double, Index, ColMajor>,
                                     gebp_traits<double, double>::mr, gebp_traits<double, double>::LhsProgress,
                                     gebp_traits<double, double>::LhsPacket4Packing, ColMajor>;
extern template struct gemm_pack_lhs<double, Index, const_blas_data_mapper<double, Index, RowMajor>,
                                     gebp_traits<double, double>::mr, gebp_traits<double, double>::LhsProgress,
                                     gebp_traits<double, double>::LhsPacket4Packing, RowMajor>;
extern template struct gemm_pack_rhs<double, Index, const_blas_data_mapper<double, Index, ColMajor>,
                                     gebp_traits<double, double>::nr, ColMajor>;
extern template struct gemm_pack_rhs<double, Index, const_blas_data_mapper<double, Index, RowMajor>,
                                     gebp_traits<double, double>::nr, RowMajor>;
extern template struct general_matrix_vector_product<Index, double, const_blas_data_mapper<double, Index, RowMajor>,
                                                     RowMajor, false, double,
                                                     const_blas_data_mapper<double, Index, ColMajor>, false>;
extern template struct general_matrix_vector_product<Index, double, const_blas_data_mapper<double, Index, ColMajor>,
                                                     ColMajor, false, double,
                                                     const_blas_data_mapper<double, Index, RowMajor>, false>;
extern template struct general_matrix_vector_product<Index, double, const_blas_data_mapper<double, Index, ColMajor>,
                                                     ColMajor, false, double,
                                                     const_blas_data_mapper<double, Index, ColMajor>, false>;

}  // namespace Eigen::internal
