// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "benchmark/preconditioner/vendor_triangular.hpp"

#include "core/base/build_config.hpp"

#if SPRUCE_WITH_CUDA

#include "benchmark/cusparse_library.hpp"

namespace spruce::bench {
namespace {

#define SPRUCE_CUSPARSE_CALL(function, ...) library.check(library.function(__VA_ARGS__), "cuSPARSE " #function)

/// Owns an object that was created by cuSPARSE.
template <typename T>
using handle = std::unique_ptr<std::remove_pointer_t<T>, cusparseStatus_t (*)(T)>;

/// Holds what an analysis by cuSPARSE creates.
struct triangular_analysis {
    const cusparse_library& library{cusparse_library::get()};
    handle<cusparseHandle_t> context{nullptr, library.destroy};
    handle<cusparseConstSpMatDescr_t> matrix{nullptr, library.destroy_matrix};
    handle<cusparseConstDnVecDescr_t> b{nullptr, library.destroy_vector};
    handle<cusparseConstDnVecDescr_t> x{nullptr, library.destroy_vector};
    handle<cusparseSpSVDescr_t> plan{nullptr, library.destroy_spsv};
    cusparseDnVecDescr_t result{};
    array<char> workspace;
    double one{1};

    triangular_analysis(const matrix::Csr<double, int32>& triangle, bool upper, const matrix::Dense<double>& given_b,
                        matrix::Dense<double>& given_x, const CudaExecutor& exec)
        : workspace{exec.shared_from_this()}
    {
        cusparseHandle_t new_context{};
        SPRUCE_CUSPARSE_CALL(create, &new_context);
        context.reset(new_context);
        SPRUCE_CUSPARSE_CALL(set_stream, new_context, exec.get_stream());
        const auto size = static_cast<int64>(triangle.get_size()[0]);
        // Attributes can be set only for descriptions that also permit changes of the matrix.
        cusparseSpMatDescr_t description{};
        SPRUCE_CUSPARSE_CALL(
            create_result_csr, &description, size, size, static_cast<int64>(triangle.get_num_stored_elements()),
            const_cast<int32*>(triangle.get_const_row_ptrs()), const_cast<int32*>(triangle.get_const_col_idxs()),
            const_cast<double*>(triangle.get_const_values()), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
            CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F);
        matrix.reset(description);
        auto fill = upper ? CUSPARSE_FILL_MODE_UPPER : CUSPARSE_FILL_MODE_LOWER;
        auto diagonal = CUSPARSE_DIAG_TYPE_NON_UNIT;
        SPRUCE_CUSPARSE_CALL(set_matrix_attribute, description, CUSPARSE_SPMAT_FILL_MODE, &fill, sizeof(fill));
        SPRUCE_CUSPARSE_CALL(set_matrix_attribute, description, CUSPARSE_SPMAT_DIAG_TYPE, &diagonal, sizeof(diagonal));
        cusparseConstDnVecDescr_t b_description{};
        SPRUCE_CUSPARSE_CALL(create_const_vector, &b_description, size, given_b.get_const_values(), CUDA_R_64F);
        b.reset(b_description);
        SPRUCE_CUSPARSE_CALL(create_vector, &result, size, given_x.get_values(), CUDA_R_64F);
        x.reset(result);
        cusparseSpSVDescr_t new_plan{};
        SPRUCE_CUSPARSE_CALL(create_spsv, &new_plan);
        plan.reset(new_plan);
        std::size_t num_bytes{};
        SPRUCE_CUSPARSE_CALL(spsv_buffer_size, new_context, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, description,
                             b.get(), result, CUDA_R_64F, CUSPARSE_SPSV_ALG_DEFAULT, new_plan, &num_bytes);
        workspace.resize_and_reset(num_bytes);
        SPRUCE_CUSPARSE_CALL(spsv_analysis, new_context, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, description, b.get(),
                             result, CUDA_R_64F, CUSPARSE_SPSV_ALG_DEFAULT, new_plan, workspace.get_data());
    }

    void solve() const
    {
        SPRUCE_CUSPARSE_CALL(spsv_solve, context.get(), CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix.get(), b.get(),
                             result, CUDA_R_64F, CUSPARSE_SPSV_ALG_DEFAULT, plan.get());
    }
};

}  // namespace

std::function<void()> analyze_by_vendor(const matrix::Csr<double, int32>& triangle, bool upper,
                                        const matrix::Dense<double>& b, matrix::Dense<double>& x)
{
    const auto exec = std::dynamic_pointer_cast<const CudaExecutor>(triangle.get_executor());
    if (!exec) {
        return {};
    }
    const auto guard = exec->get_scoped_device_id_guard();
    const auto analysis = std::make_shared<triangular_analysis>(triangle, upper, b, x, *exec);
    return [analysis] { analysis->solve(); };
}

}  // namespace spruce::bench

#else

namespace spruce::bench {

std::function<void()> analyze_by_vendor(const matrix::Csr<double, int32>&, bool, const matrix::Dense<double>&,
                                        matrix::Dense<double>&)
{
    return {};
}

}  // namespace spruce::bench

#endif
