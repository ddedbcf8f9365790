// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/matrix/format_advice.hpp>

#include <algorithm>
#include <sstream>
#include <string>

#include <spruce/base/array.hpp>
#include <spruce/base/pointers.hpp>
#include <spruce/matrix/coo.hpp>
#include <spruce/matrix/csr.hpp>
#include <spruce/matrix/ell.hpp>
#include <spruce/matrix/sellp.hpp>

#include "core/matrix/slice_size.hpp"

namespace spruce {
namespace {

/// Holds what the choice depends on.
struct row_lengths {
    double rows{};
    double entries{};
    double longest{};
    double padded{};  ///< entries of Sellp

    double mean() const { return rows > 0 ? entries / rows : 0; }
};

template <typename IndexType>
row_lengths count_rows(const IndexType* row_ptrs, size_type num_rows, size_type slice_size)
{
    row_lengths result;
    result.rows = static_cast<double>(num_rows);
    result.entries = static_cast<double>(num_rows > 0 ? row_ptrs[num_rows] : 0);
    for (size_type begin = 0; begin < num_rows; begin += slice_size) {
        const auto end = std::min(begin + slice_size, num_rows);
        IndexType longest{};
        for (auto row = begin; row < end; ++row) {
            longest = std::max(longest, row_ptrs[row + 1] - row_ptrs[row]);
        }
        result.padded += static_cast<double>(longest) * static_cast<double>(slice_size);
        result.longest = std::max(result.longest, static_cast<double>(longest));
    }
    return result;
}

/// Holds a format and the rule that chose it.
struct choice {
    storage_format format;
    const char* rule;
};

/// Chooses a format for GPUs by the rules of doc/formats.md, which has their evidence.
choice choose_for_gpu(const row_lengths& lengths, double entry_bytes, double row_bytes)
{
    constexpr double max_launch_bound = 1e5;     // entries of products that take as long as their launch
    constexpr double max_irregular_coo = 1e6;    // entries up to which Coo is faster than Csr's search for rows
    constexpr double min_bandwidth_bound = 1e6;  // entries of products that take as long as their bytes
    constexpr double tolerance = 1.02;
    const auto csr_bytes = entry_bytes * lengths.entries + row_bytes * lengths.rows;
    const auto ell_bytes = entry_bytes * lengths.rows * lengths.longest;
    const auto sellp_bytes = entry_bytes * lengths.padded;
    if (lengths.longest > 256 && lengths.longest > 8 * lengths.mean()) {
        return lengths.entries <= max_irregular_coo
                   ? choice{storage_format::coo, "a few rows are long, and the matrix is small"}
                   : choice{storage_format::csr, "a few rows are long"};
    }
    if (lengths.rows < 16 * lengths.longest) {
        return {storage_format::csr, "the rows are too few for a thread each"};
    }
    if (lengths.entries <= max_launch_bound && sellp_bytes <= 1.6 * csr_bytes) {
        return {storage_format::sellp, "the matrix is small, and Sellp has at most 1.6 times the bytes of Csr"};
    }
    const auto suits_groups_of_csr = lengths.longest <= 3 || (lengths.mean() >= 8 && lengths.mean() < 12);
    if (lengths.entries > min_bandwidth_bound && suits_groups_of_csr) {
        return {storage_format::csr, "the rows fit the groups of threads of Csr"};
    }
    if (ell_bytes <= tolerance * csr_bytes) {
        return {storage_format::ell, "Ell has at most 2 % more bytes than Csr"};
    }
    if (sellp_bytes <= tolerance * csr_bytes) {
        return {storage_format::sellp, "Sellp has at most 2 % more bytes than Csr"};
    }
    return {storage_format::csr, "Ell and Sellp have more bytes than Csr"};
}

std::string describe(const choice& chosen, const row_lengths& lengths, double entry_bytes, double row_bytes)
{
    constexpr double mega = 1e-6;
    std::ostringstream text;
    text.precision(3);
    text << chosen.rule << ": rows have " << lengths.mean() << " entries on average and at most " << lengths.longest
         << ", in megabytes the matrix has " << mega * (entry_bytes * lengths.entries + row_bytes * lengths.rows)
         << " as Csr, " << mega * entry_bytes * lengths.padded << " as Sellp and "
         << mega * entry_bytes * lengths.rows * lengths.longest << " as Ell";
    return text.str();
}

/// Chooses a format.
/// @param slice_size  rows of a slice of Sellp where the products are to run
template <typename ValueType, typename IndexType>
format_advice advise(const matrix::Csr<ValueType, IndexType>& matrix, size_type slice_size, bool is_device)
{
    if (!is_device) {
        return {storage_format::csr, "Csr has the fewest bytes, and CPUs read rows of any length"};
    }
    const auto host = matrix.get_executor()->get_master();
    const auto num_rows = matrix.get_size()[0];
    const array<IndexType> row_ptrs{
        host,
        array<IndexType>::const_view(matrix.get_executor(), num_rows + 1, matrix.get_const_row_ptrs()).copy_to_array()};
    const auto lengths = count_rows(row_ptrs.get_const_data(), num_rows, slice_size);
    constexpr double entry_bytes = sizeof(ValueType) + sizeof(IndexType);
    constexpr double row_bytes = sizeof(IndexType);
    const auto chosen = choose_for_gpu(lengths, entry_bytes, row_bytes);
    return {chosen.format, describe(chosen, lengths, entry_bytes, row_bytes)};
}

}  // namespace

std::string to_string(storage_format format)
{
    switch (format) {
    case storage_format::csr:
        return "csr";
    case storage_format::coo:
        return "coo";
    case storage_format::ell:
        return "ell";
    case storage_format::sellp:
        return "sellp";
    }
    return "unknown";
}

template <typename ValueType, typename IndexType>
format_advice advise_format(const matrix::Csr<ValueType, IndexType>& matrix, std::shared_ptr<const Executor> exec)
{
    detail::require_pointers("advise_format (the executor)", exec);
    return advise(matrix, spruce::matrix::detail::slice_size_for(*exec), exec->get_master() != exec);
}

template <typename ValueType, typename IndexType>
format_advice advise_format(const matrix::Csr<ValueType, IndexType>& matrix, backend target)
{
    const auto is_device = target == backend::cuda || target == backend::hip;
    return advise(matrix, target == backend::cuda ? 32 : 64, is_device);
}

template <typename ValueType, typename IndexType>
std::unique_ptr<LinOp> copy_in_format(const matrix::Csr<ValueType, IndexType>& matrix, storage_format format,
                                      std::shared_ptr<const Executor> exec)
{
    detail::require_pointers("copy_in_format (the executor)", exec);
    const auto convert = [&](auto result) -> std::unique_ptr<LinOp> {
        matrix.convert_to(result.get());
        return result;
    };
    switch (format) {
    case storage_format::coo:
        return convert(matrix::Coo<ValueType, IndexType>::create(exec));
    case storage_format::ell:
        return convert(matrix::Ell<ValueType, IndexType>::create(exec));
    case storage_format::sellp:
        return convert(matrix::Sellp<ValueType, IndexType>::create(
            exec, dim<2>{}, spruce::matrix::detail::slice_size_for(*exec), 1, 0));
    default:
        return convert(matrix::Csr<ValueType, IndexType>::create(exec));
    }
}

#define SPRUCE_FORMAT_ADVICE(_value, _index)                                                                         \
    SPRUCE_EXPORT format_advice advise_format(const matrix::Csr<_value, _index>&, std::shared_ptr<const Executor>);  \
    template SPRUCE_EXPORT format_advice advise_format(const matrix::Csr<_value, _index>&, backend);                 \
    template SPRUCE_EXPORT std::unique_ptr<LinOp> copy_in_format(const matrix::Csr<_value, _index>&, storage_format, \
                                                                 std::shared_ptr<const Executor>)
SPRUCE_INSTANTIATE_FOR_EACH_VALUE_AND_INDEX_TYPE(SPRUCE_FORMAT_ADVICE);

}  // namespace spruce
