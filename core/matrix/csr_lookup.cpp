// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/matrix/csr_lookup.hpp"

#include "core/base/dispatch.hpp"
#include "core/components/array_kernels.hpp"
#include "core/matrix/csr_lookup_kernels.hpp"

namespace spruce::matrix::csr {

template <typename I>
lookup<I>::lookup(std::shared_ptr<const Executor> exec, const I* row_ptrs, const I* col_idxs, size_type num_rows)
    : row_ptrs_{row_ptrs}, col_idxs_{col_idxs}, offsets_{exec, num_rows + 1}, types_{exec, num_rows}, storage_{exec}
{
    kernels::csr::plan_lookup<I>(*exec, row_ptrs, col_idxs, num_rows, types_.get_data(), offsets_.get_data());
    size_type size{};
    kernels::components::prefix_sum<I>(*exec, offsets_.get_data(), num_rows + 1, size);
    // If the sum overflows, prefix_sum has thrown an exception.
    if (size == static_cast<size_type>(lookup_view<I>::too_large)) {
        spruce::detail::throw_index_overflow<I>("the lookup table of a row that is not sorted");
    }
    storage_.resize_and_reset(size);
    kernels::csr::build_lookup<I>(*exec, this->get_view(), num_rows, storage_.get_data());
}

#define SPRUCE_CSR_LOOKUP(_index) class SPRUCE_EXPORT lookup<_index>
SPRUCE_INSTANTIATE_FOR_EACH_INDEX_TYPE(SPRUCE_CSR_LOOKUP);

}  // namespace spruce::matrix::csr
