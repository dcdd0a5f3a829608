#include "math/eigen_kernels.h"

namespace Eigen::internal {

template struct gebp_kernel<double, double, Index, blas_data_mapper<double, Index, ColMajor, Unaligned, 1>,
                            gebp_traits<double, double>::mr, gebp_traits<double, double>::nr, false, false>;
template struct gemm_pack_lhs<double, Index, const_blas_data_mapper<double, Index, ColMajor>,
                              gebp_traits<double, double>::mr, gebp_traits<double, double>::LhsProgress,
                              gebp_traits<double, double>::LhsPacket4Packing, ColMajor>;
template struct gemm_pack_lhs<double, Index, const_blas_data_mapper<double, Index, RowMajor>,
                              gebp_traits<double, double>::mr, gebp_traits<double, double>::LhsProgress,
                              gebp_traits<double, double>::LhsPacket4Packing, RowMajor>;
template struct gemm_pack_rhs<double, Index, const_blas_data_mapper<double, Index, ColMajor>,
                              gebp_traits<double, double>::nr, ColMajor>;
template struct gemm_pack_rhs<double, Index, const_blas_data_mapper<double, Index, RowMajor>,
                              gebp_traits<double, double>::nr, RowMajor>;
template struct general_matrix_vector_product<Index, double, const_blas_data_mapper<double, Index, RowMajor>, RowMajor,
                                              false, double, const_blas_data_mapper<double, Index, ColMajor>, false>;
template struct general_matrix_vector_product<Index, double, const_blas_data_mapper<double, Index, ColMajor>, ColMajor,
                                              false, double, const_blas_data_mapper<double, Index, RowMajor>, false>;
template struct general_matrix_vector_product<Index, double, const_blas_data_mapper<double, Index, ColMajor>, ColMajor,
                                              false, double, const_blas_data_mapper<double, Index, ColMajor>, false>;

}  // namespace Eigen::internal
