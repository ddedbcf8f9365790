// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "benchmark/statistics/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include <spruce/base/math.hpp>

namespace spruce::bench {
namespace {

/// Reads a row position by position. Entries at the same position are added up.
template <typename V, typename I>
class row_reader {
public:
    row_reader(const matrix::Csr<V, I>& a, size_type row)
        : col_idxs_{a.get_const_col_idxs()},
          values_{a.get_const_values()},
          nz_{a.get_const_row_ptrs()[row]},
          end_{a.get_const_row_ptrs()[row + 1]}
    {
        this->next();
    }

    bool is_at_end() const { return is_at_end_; }
    I col() const { return col_; }
    V value() const { return value_; }

    void next()
    {
        is_at_end_ = nz_ == end_;
        if (is_at_end_) {
            return;
        }
        col_ = col_idxs_[nz_];
        value_ = V{};
        for (; nz_ < end_ && col_idxs_[nz_] == col_; ++nz_) {
            value_ += values_[nz_];
        }
    }

private:
    const I* col_idxs_;
    const V* values_;
    I nz_;
    I end_;
    I col_{};
    V value_{};
    bool is_at_end_{};
};

/// Updates bandwidths, profile and the number of zeros by the entries of a row.
template <typename V, typename I>
void add_row_extent(const matrix::Csr<V, I>& a, size_type row, matrix_statistics& result)
{
    const auto begin = a.get_const_row_ptrs()[row];
    const auto end = a.get_const_row_ptrs()[row + 1];
    for (auto nz = begin; nz < end; ++nz) {
        result.num_zeros += is_zero(a.get_const_values()[nz]);
    }
    if (begin == end) {
        return;
    }
    const auto first = static_cast<size_type>(a.get_const_col_idxs()[begin]);
    const auto last = static_cast<size_type>(a.get_const_col_idxs()[end - 1]);
    if (first < row) {
        result.profile += row - first;
        result.lower_bandwidth = std::max(result.lower_bandwidth, row - first);
    }
    if (last > row) {
        result.upper_bandwidth = std::max(result.upper_bandwidth, last - row);
    }
}

template <typename V, typename I>
void add_diagonal_entry(const matrix::Csr<V, I>& a, size_type row, diagonal_statistics& result)
{
    V diagonal{};
    double others{};
    bool is_stored{};
    for (row_reader<V, I> entry{a, row}; !entry.is_at_end(); entry.next()) {
        if (static_cast<size_type>(entry.col()) == row) {
            diagonal = entry.value();
            is_stored = true;
        } else {
            others += static_cast<double>(std::abs(entry.value()));
        }
    }
    const auto magnitude = static_cast<double>(std::abs(diagonal));
    result.positive += spruce::real(diagonal) > 0 && spruce::imag(diagonal) == 0;
    result.stored += is_stored;
    result.dominant += is_stored && magnitude >= others;
    result.strictly_dominant += magnitude > others;
}

/// Compares each row with the row of the transpose, which contains the entries (j, i).
template <typename V, typename I>
symmetry_statistics compare_with_transpose(const matrix::Csr<V, I>& a, const matrix::Csr<V, I>& transposed)
{
    size_type num_positions{};
    size_type num_structural{};
    size_type num_equal{};
    size_type num_conjugate{};
    for (size_type row = 0; row < a.get_size()[0]; ++row) {
        row_reader<V, I> partner{transposed, row};
        for (row_reader<V, I> entry{a, row}; !entry.is_at_end(); entry.next()) {
            if (static_cast<size_type>(entry.col()) == row) {
                continue;
            }
            ++num_positions;
            while (!partner.is_at_end() && partner.col() < entry.col()) {
                partner.next();
            }
            if (!partner.is_at_end() && partner.col() == entry.col()) {
                ++num_structural;
                num_equal += partner.value() == entry.value();
                num_conjugate += partner.value() == spruce::conj(entry.value());
            }
        }
    }
    const auto share = [&](size_type count) {
        return num_positions == 0 ? 1.0 : static_cast<double>(count) / static_cast<double>(num_positions);
    };
    return {share(num_structural), share(num_equal), share(num_conjugate)};
}

}  // namespace

template <typename ValueType, typename IndexType>
size_type count_blocks(const matrix::Csr<ValueType, IndexType>& a, size_type size)
{
    const auto num_rows = a.get_size()[0];
    const auto col_idxs = a.get_const_col_idxs();
    // Element j is the number of the last block row, counted from 1, that has a block in column j.
    std::vector<size_type> last_block_rows(ceildiv(a.get_size()[1], size));
    size_type num_blocks{};
    for (size_type row = 0; row < num_rows; ++row) {
        const auto block_row = row / size + 1;
        for (auto nz = a.get_const_row_ptrs()[row]; nz < a.get_const_row_ptrs()[row + 1]; ++nz) {
            auto& last = last_block_rows[static_cast<size_type>(col_idxs[nz]) / size];
            num_blocks += last != block_row;
            last = block_row;
        }
    }
    return num_blocks;
}

template <typename ValueType, typename IndexType>
matrix_statistics compute_statistics(const matrix::Csr<ValueType, IndexType>& a)
{
    using csr = matrix::Csr<ValueType, IndexType>;
    const auto size = a.get_size();
    matrix_statistics result;
    result.num_rows = size[0];
    result.num_cols = size[1];
    result.num_nonzeros = a.get_num_stored_elements();
    const auto rows_by_length = count_lengths(a.get_const_row_ptrs(), size[0]);
    result.rows = describe_lengths(rows_by_length);
    result.diagonal.length = std::min(size[0], size[1]);
    for (size_type row = 0; row < size[0]; ++row) {
        add_row_extent(a, row, result);
        if (row < result.diagonal.length) {
            add_diagonal_entry(a, row, result.diagonal);
        }
    }
    for (const size_type block_size : {2, 3, 4}) {
        result.blocks.push_back({block_size, count_blocks(a, block_size)});
    }
    result.storage = compute_storage(a, rows_by_length, result.blocks);
    const auto transposed = a.transpose();
    const auto& columns = dynamic_cast<const csr&>(*transposed);
    result.cols = describe_lengths(count_lengths(columns.get_const_row_ptrs(), size[1]));
    if (size[0] == size[1]) {
        result.symmetry = compare_with_transpose(a, columns);
    }
    return result;
}

#define SPRUCE_INSTANTIATE_COUNT_BLOCKS(ValueType, IndexType) \
    size_type count_blocks<ValueType, IndexType>(const matrix::Csr<ValueType, IndexType>&, size_type)
SPRUCE_INSTANTIATE_FOR_EACH_VALUE_AND_INDEX_TYPE(SPRUCE_INSTANTIATE_COUNT_BLOCKS);
#define SPRUCE_INSTANTIATE_COMPUTE_STATISTICS(ValueType, IndexType) \
    matrix_statistics compute_statistics<ValueType, IndexType>(const matrix::Csr<ValueType, IndexType>&)
SPRUCE_INSTANTIATE_FOR_EACH_VALUE_AND_INDEX_TYPE(SPRUCE_INSTANTIATE_COMPUTE_STATISTICS);

}  // namespace spruce::bench
