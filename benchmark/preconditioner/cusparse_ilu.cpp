// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "benchmark/preconditioner/vendor_ilu.hpp"

#include "core/base/build_config.hpp"

#if SPRUCE_WITH_CUDA

// csrilu02 is deprecated, but has no successor.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

#include "benchmark/cusparse_library.hpp"

namespace spruce::bench {
namespace {

#define SPRUCE_CUSPARSE_CALL(function, ...) library.check(library.function(__VA_ARGS__), "cuSPARSE " #function)

/// Owns an object that was created by cuSPARSE.
template <typename T>
using handle = std::unique_ptr<std::remove_pointer_t<T>, cusparseStatus_t (*)(T)>;

/// Holds what an analysis by cuSPARSE creates.
struct ilu_analysis {
    using csr = matrix::Csr<double, int32>;

    const cusparse_library& library{cusparse_library::get()};
    handle<cusparseHandle_t> context{nullptr, library.destroy};
    handle<cusparseMatDescr_t> description{nullptr, library.destroy_legacy_matrix};
    handle<csrilu02Info_t> info{nullptr, library.destroy_csrilu};
    std::shared_ptr<const csr> a;
    std::shared_ptr<csr> factors;
    array<char> workspace;

    ilu_analysis(std::shared_ptr<const csr> given_a, std::shared_ptr<csr> given_factors, const CudaExecutor& exec)
        : a{std::move(given_a)}, factors{std::move(given_factors)}, workspace{exec.shared_from_this()}
    {
        cusparseHandle_t new_context{};
        SPRUCE_CUSPARSE_CALL(create, &new_context);
        context.reset(new_context);
        SPRUCE_CUSPARSE_CALL(set_stream, new_context, exec.get_stream());
        cusparseMatDescr_t new_description{};
        SPRUCE_CUSPARSE_CALL(create_legacy_matrix, &new_description);
        description.reset(new_description);
        csrilu02Info_t new_info{};
        SPRUCE_CUSPARSE_CALL(create_csrilu, &new_info);
        info.reset(new_info);
        int num_bytes{};
        SPRUCE_CUSPARSE_CALL(csrilu_buffer_size, new_context, num_rows(), nnz(), new_description, factors->get_values(),
                             a->get_const_row_ptrs(), a->get_const_col_idxs(), new_info, &num_bytes);
        workspace.resize_and_reset(static_cast<size_type>(num_bytes));
        SPRUCE_CUSPARSE_CALL(csrilu_analysis, new_context, num_rows(), nnz(), new_description, a->get_const_values(),
                             a->get_const_row_ptrs(), a->get_const_col_idxs(), new_info,
                             CUSPARSE_SOLVE_POLICY_USE_LEVEL, workspace.get_data());
    }

    int num_rows() const { return static_cast<int>(a->get_size()[0]); }
    int nnz() const { return static_cast<int>(a->get_num_stored_elements()); }

    void compute()
    {
        a->get_executor()->copy(a->get_num_stored_elements(), a->get_const_values(), factors->get_values());
        SPRUCE_CUSPARSE_CALL(csrilu, context.get(), num_rows(), nnz(), description.get(), factors->get_values(),
                             a->get_const_row_ptrs(), a->get_const_col_idxs(), info.get(),
                             CUSPARSE_SOLVE_POLICY_USE_LEVEL, workspace.get_data());
    }
};

}  // namespace

std::function<void()> analyze_ilu_by_vendor(const std::shared_ptr<const matrix::Csr<double, int32>>& a,
                                            const std::shared_ptr<matrix::Csr<double, int32>>& factors)
{
    const auto exec = std::dynamic_pointer_cast<const CudaExecutor>(a->get_executor());
    if (!exec) {
        return {};
    }
    const auto guard = exec->get_scoped_device_id_guard();
    const auto analysis = std::make_shared<ilu_analysis>(a, factors, *exec);
    return [analysis] { analysis->compute(); };
}

}  // namespace spruce::bench

#else

namespace spruce::bench {

std::function<void()> analyze_ilu_by_vendor(const std::shared_ptr<const matrix::Csr<double, int32>>&,
                                            const std::shared_ptr<matrix::Csr<double, int32>>&)
{
    return {};
}

}  // namespace spruce::bench

#endif
