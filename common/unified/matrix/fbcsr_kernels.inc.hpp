// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

namespace fbcsr {

using matrix::Csr;
using matrix::Diagonal;
using matrix::Fbcsr;

template <typename V, typename I>
void gather_blocks(const DeviceExecutor& exec, const V* values, const I* positions, size_type num_blocks,
                   int block_size, kernels::fbcsr::block_copy how, V* new_values)
{
    using kernels::fbcsr::block_copy;
    const auto bs = static_cast<size_type>(block_size);
    run_for_each(exec, num_blocks * bs * bs,
                 [values = as_device(values), positions, bs, is_plain = how == block_copy::plain,
                  is_conjugate = how == block_copy::conj_transposed,
                  new_values = as_device(new_values)] SPRUCE_LAMBDA(size_type i) {
                     const auto place = i % (bs * bs);
                     const auto from = is_plain ? place : place % bs * bs + place / bs;
                     const auto value = values[positions[i / (bs * bs)] * bs * bs + from];
                     new_values[i] = is_conjugate ? conj_of(value) : value;
                 });
}

template <typename V, typename I>
void convert_to_csr(const DeviceExecutor& exec, const Fbcsr<V, I>& a, Csr<V, I>& b)
{
    // Numbers of entries fit I, and where that has 32 bits, divisions take a fraction of the time.
    using U = std::make_unsigned_t<I>;
    const auto bs = static_cast<U>(a.get_block_size());
    const auto num_rows = b.get_size()[0];
    const auto nnz = b.get_num_stored_elements();
    const auto row_ptrs = a.get_const_row_ptrs();
    const auto new_row_ptrs = b.get_row_ptrs();
    run_for_each(exec, num_rows + 1, [=] SPRUCE_LAMBDA(size_type row) {
        if (row == num_rows) {
            new_row_ptrs[row] = static_cast<I>(nnz);
            return;
        }
        const auto brow = static_cast<U>(row) / bs;
        const auto begin = static_cast<U>(row_ptrs[brow]);
        const auto end = static_cast<U>(row_ptrs[brow + 1]);
        new_row_ptrs[row] = static_cast<I>((begin * bs + (static_cast<U>(row) - brow * bs) * (end - begin)) * bs);
    });
    run_for_each_nonzero(exec, new_row_ptrs, num_rows, nnz,
                         [bs, row_ptrs, new_row_ptrs, col_idxs = a.get_const_col_idxs(),
                          values = as_device(a.get_const_values()), new_col_idxs = b.get_col_idxs(),
                          new_values = as_device(b.get_values())] SPRUCE_LAMBDA(size_type row, size_type nz) {
                             const auto brow = static_cast<U>(row) / bs;
                             const auto i = static_cast<U>(row) - brow * bs;
                             const auto place = static_cast<U>(nz) - static_cast<U>(new_row_ptrs[row]);  // in the row
                             const auto block = place / bs;
                             const auto j = place - block * bs;
                             const auto k = static_cast<U>(row_ptrs[brow]) + block;
                             new_col_idxs[nz] = static_cast<I>(static_cast<U>(col_idxs[k]) * bs + j);
                             new_values[nz] = values[(k * bs + j) * bs + i];
                         });
}

template <typename V, typename I>
void extract_diagonal(const DeviceExecutor& exec, const Fbcsr<V, I>& a, Diagonal<V>& d)
{
    const auto bs = static_cast<size_type>(a.get_block_size());
    run_for_each_nonzero(exec, a.get_const_row_ptrs(), a.get_num_block_rows(), a.get_num_stored_blocks(),
                         [bs, col_idxs = a.get_const_col_idxs(), values = as_device(a.get_const_values()),
                          d = as_device(d.get_values())] SPRUCE_LAMBDA(size_type brow, size_type k) {
                             if (static_cast<size_type>(col_idxs[k]) == brow) {
                                 for (size_type i = 0; i < bs; ++i) {
                                     d[brow * bs + i] = values[(k * bs + i) * bs + i];
                                 }
                             }
                         });
}

}  // namespace fbcsr

void register_fbcsr()
{
    for_each_value_and_index_type([](auto types) {
        using V = typename decltype(types)::value_type;
        using I = typename decltype(types)::index_type;
        kernels::fbcsr::gather_blocks<V, I>.template set<DeviceExecutor>(&fbcsr::gather_blocks<V, I>);
        kernels::fbcsr::convert_to_csr<V, I>.template set<DeviceExecutor>(&fbcsr::convert_to_csr<V, I>);
        kernels::fbcsr::extract_diagonal<V, I>.template set<DeviceExecutor>(&fbcsr::extract_diagonal<V, I>);
    });
}
