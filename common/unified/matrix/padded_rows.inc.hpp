// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// From Ell and Sellp to Csr, and their diagonals; Matrix is one of them.

namespace padded_rows {

template <typename Matrix>
using value_of = typename Matrix::value_type;
template <typename Matrix>
using index_of = typename Matrix::index_type;

template <typename Matrix>
void count_entries(const DeviceExecutor& exec, const Matrix& a, index_of<Matrix>* counts)
{
    run_for_each(exec, a.get_size()[0],
                 [layout = layout_of(a), cols = a.get_const_col_idxs(), counts] SPRUCE_LAMBDA(size_type row) {
                     const auto mine = places_of(layout, row);
                     index_of<Matrix> count{};
                     for (size_type i = 0; i < mine.length; ++i) {
                         count += cols[mine.begin + i * layout.width] == matrix::padding_column ? 0 : 1;
                     }
                     counts[row] = count;
                 });
}

template <typename Matrix>
void fill_in_csr(const DeviceExecutor& exec, const Matrix& a, const index_of<Matrix>* row_ptrs,
                 index_of<Matrix>* col_idxs, value_of<Matrix>* values)
{
    run_for_each(exec, a.get_size()[0],
                 [layout = layout_of(a), cols = a.get_const_col_idxs(), a_values = as_device(a.get_const_values()),
                  row_ptrs, col_idxs, values = as_device(values)] SPRUCE_LAMBDA(size_type row) {
                     const auto mine = places_of(layout, row);
                     auto nz = row_ptrs[row];
                     for (size_type i = 0; i < mine.length; ++i) {
                         const auto place = mine.begin + i * layout.width;
                         if (cols[place] != matrix::padding_column) {
                             col_idxs[nz] = cols[place];
                             values[nz] = a_values[place];
                             ++nz;
                         }
                     }
                 });
}

template <typename Matrix>
void extract_diagonal(const DeviceExecutor& exec, const Matrix& a, matrix::Diagonal<value_of<Matrix>>& d)
{
    run_for_each(exec, d.get_size()[0],
                 [layout = layout_of(a), cols = a.get_const_col_idxs(), values = as_device(a.get_const_values()),
                  diagonal = as_device(d.get_values())] SPRUCE_LAMBDA(size_type row) {
                     const auto mine = places_of(layout, row);
                     for (size_type i = 0; i < mine.length; ++i) {
                         const auto place = mine.begin + i * layout.width;
                         if (cols[place] == static_cast<index_of<Matrix>>(row)) {
                             diagonal[row] = values[place];
                         }
                     }
                 });
}

}  // namespace padded_rows
