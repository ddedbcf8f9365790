// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>

#include <spruce/base/math.hpp>
#include <spruce/base/matrix_data.hpp>
#include <spruce/matrix/ell.hpp>
#include <spruce/matrix/hybrid.hpp>
#include <spruce/matrix/sellp.hpp>

#include "benchmark/statistics/statistics.hpp"

namespace spruce::bench {
namespace {

/// Computes sizes from the structure of a Csr.
template <typename V, typename I>
class storage_model {
public:
    storage_model(const matrix::Csr<V, I>& a, const std::vector<size_type>& rows_by_length)
        : a_{a}, rows_by_length_{rows_by_length}, num_rows_{to_double(a.get_size()[0])}
    {
        // The library chooses the distance between the columns of an Ell by the number of rows.
        const auto without_entries = matrix::Ell<V, I>::create(a.get_executor());
        without_entries->read(matrix_data<V, I>{a.get_size()});
        stride_ = to_double(without_entries->get_stride());
    }

    double coo() const { return num_nonzeros() * (value + 2 * index); }
    double csr() const { return num_nonzeros() * (value + index) + (num_rows_ + 1) * index; }
    double sparsity_csr() const { return num_nonzeros() * index + (num_rows_ + 1) * index + value; }
    double ell() const { return stride_ * to_double(rows_by_length_.size() - 1) * (value + index); }

    double sellp(size_type slice_size) const
    {
        const auto row_ptrs = a_.get_const_row_ptrs();
        const auto num_rows = a_.get_size()[0];
        double num_columns{};
        for (size_type begin = 0; begin < num_rows; begin += slice_size) {
            I max_length{};
            for (auto row = begin; row < std::min(begin + slice_size, num_rows); ++row) {
                max_length = std::max<I>(max_length, row_ptrs[row + 1] - row_ptrs[row]);
            }
            num_columns += static_cast<double>(max_length);
        }
        const auto num_slices = to_double(ceildiv(num_rows, slice_size));
        return num_columns * to_double(slice_size) * (value + index) + (num_slices + 1) * sizeof(size_type);
    }

    double hybrid() const
    {
        const auto max_length = rows_by_length_.size() - 1;
        const typename matrix::Hybrid<V, I>::automatic strategy;
        const auto width = std::min(strategy.compute_ell_num_stored_elements_per_row(rows_by_length_), max_length);
        size_type num_rest{};
        for (auto length = width + 1; length <= max_length; ++length) {
            num_rest += rows_by_length_[length] * (length - width);
        }
        return stride_ * to_double(width) * (value + index) + to_double(num_rest) * (value + 2 * index);
    }

    double fbcsr(const block_statistics& blocks) const
    {
        const auto size = to_double(blocks.size);
        return to_double(blocks.num_blocks) * (size * size * value + index) + (num_rows_ / size + 1) * index;
    }

private:
    static constexpr double value = sizeof(V);
    static constexpr double index = sizeof(I);

    static double to_double(size_type number) { return static_cast<double>(number); }
    double num_nonzeros() const { return to_double(a_.get_num_stored_elements()); }

    const matrix::Csr<V, I>& a_;
    const std::vector<size_type>& rows_by_length_;
    double num_rows_;
    double stride_{};
};

}  // namespace

template <typename ValueType, typename IndexType>
std::vector<format_storage> compute_storage(const matrix::Csr<ValueType, IndexType>& a,
                                            const std::vector<size_type>& rows_by_length,
                                            const std::vector<block_statistics>& blocks)
{
    const storage_model<ValueType, IndexType> model{a, rows_by_length};
    std::vector<format_storage> result{
        {"coo", model.coo()},          {"csr", model.csr()},
        {"ell", model.ell()},          {"sellp", model.sellp(matrix::default_slice_size)},
        {"sellp-32", model.sellp(32)}, {"hybrid", model.hybrid()}};
    for (const auto& one : blocks) {
        if (a.get_size()[0] % one.size == 0 && a.get_size()[1] % one.size == 0) {
            result.push_back({"fbcsr-" + std::to_string(one.size), model.fbcsr(one)});
        }
    }
    result.push_back({"sparsity_csr", model.sparsity_csr()});
    return result;
}

#define SPRUCE_INSTANTIATE_COMPUTE_STORAGE(ValueType, IndexType)       \
    std::vector<format_storage> compute_storage<ValueType, IndexType>( \
        const matrix::Csr<ValueType, IndexType>&, const std::vector<size_type>&, const std::vector<block_statistics>&)
SPRUCE_INSTANTIATE_FOR_EACH_VALUE_AND_INDEX_TYPE(SPRUCE_INSTANTIATE_COMPUTE_STORAGE);

}  // namespace spruce::bench
