// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/base/validate.hpp>

#include <algorithm>
#include <limits>
#include <numeric>
#include <ostream>
#include <utility>
#include <vector>

#include <spruce/matrix/csr.hpp>
#include <spruce/matrix/fbcsr.hpp>
#include <spruce/matrix/sellp.hpp>
#include <spruce/matrix/sparsity_csr.hpp>

namespace spruce {
namespace {

/// Counts a fault. Entries have to be counted in ascending order.
void count(fault_count& faults, size_type number)
{
    if (faults.num++ == 0) {
        faults.first = number;
    }
}

template <typename Entries>
fault_count count_duplicates(const Entries& entries, bool is_sorted)
{
    fault_count duplicates;
    if (is_sorted) {
        for (size_type i = 1; i < entries.size(); ++i) {
            if (!(entries[i - 1] < entries[i])) {
                count(duplicates, i);
            }
        }
        return duplicates;
    }
    std::vector<size_type> order(entries.size());
    std::iota(order.begin(), order.end(), size_type{});
    // Entries at the same position keep their order, so the first of them is not a duplicate.
    std::stable_sort(order.begin(), order.end(), [&](size_type a, size_type b) { return entries[a] < entries[b]; });
    for (size_type i = 1; i < order.size(); ++i) {
        if (!(entries[order[i - 1]] < entries[order[i]])) {
            duplicates.first = std::min(duplicates.first.value_or(order[i]), order[i]);
            ++duplicates.num;
        }
    }
    return duplicates;
}

/// Counts missing and zero entries of the diagonal. The memory is proportional to the number of
/// stored entries, because sizes may be much larger.
/// @param stored  the rows of the entries on the diagonal, and true if they are zero, in the order
///   of the entries
void count_diagonal(std::vector<std::pair<size_type, bool>> stored, size_type length, matrix_report& report)
{
    const auto comes_before = [](const auto& a, const auto& b) { return a.first < b.first; };
    if (!std::is_sorted(stored.begin(), stored.end(), comes_before)) {
        std::stable_sort(stored.begin(), stored.end(), comes_before);
    }
    size_type num_rows{};
    for (size_type i = 0; i < stored.size(); ++i) {
        const auto [row, is_zero] = stored[i];
        if (i > 0 && stored[i - 1].first == row) {
            continue;  // only the first of several entries at one position counts
        }
        if (row != num_rows && !report.missing_diagonal.first) {
            report.missing_diagonal.first = num_rows;
        }
        ++num_rows;
        if (is_zero) {
            count(report.zero_diagonal, row);
        }
    }
    report.missing_diagonal.num = length - num_rows;
    if (report.missing_diagonal && !report.missing_diagonal.first) {
        report.missing_diagonal.first = num_rows;
    }
}

template <typename T>
std::vector<T> copy_to_host(const Executor& exec, const T* values, size_type length)
{
    std::vector<T> result(length);
    exec.get_master()->copy_from(&exec, length, values, result.data());
    return result;
}

/// Counts parts of an array that do not begin where the part before them ends, or exceed the array.
/// The first one begins at 0. There may be more elements than the parts have.
/// @param pointers  the beginnings of the parts and the end of the last one, on exec
/// @param rows_of_part  multiplies the number of the first faulty part
template <typename Pointer>
fault_count count_faulty_parts(const Executor& exec, const Pointer* pointers, size_type num_parts,
                               size_type num_elements, size_type rows_of_part = 1)
{
    fault_count result;
    const auto ptrs = copy_to_host(exec, pointers, num_parts + 1);
    for (size_type part = 0; part < num_parts; ++part) {
        // Negative pointers are too large as unsigned numbers.
        const auto begin = static_cast<size_type>(ptrs[part]);
        const auto end = static_cast<size_type>(ptrs[part + 1]);
        const auto begins_late = part == 0 && begin != 0;
        if (begin > end || end > num_elements || begins_late) {
            count(result, part * rows_of_part);
        }
    }
    return result;
}

/// Counts slices whose place in the arrays or whose length is wrong.
template <typename ValueType, typename IndexType>
fault_count count_faulty_slices(const matrix::Sellp<ValueType, IndexType>& matrix)
{
    const auto& exec = *matrix.get_executor();
    const auto slice_size = matrix.get_slice_size();
    const auto num_slices = (matrix.get_size()[0] + slice_size - 1) / slice_size;
    auto result =
        count_faulty_parts(exec, matrix.get_const_slice_sets(), num_slices, matrix.get_total_cols(), slice_size);
    if (!result) {
        const auto sets = copy_to_host(exec, matrix.get_const_slice_sets(), num_slices + 1);
        const auto lengths = copy_to_host(exec, matrix.get_const_slice_lengths(), num_slices);
        for (size_type slice = 0; slice < num_slices; ++slice) {
            if (lengths[slice] != sets[slice + 1] - sets[slice]) {
                count(result, slice * slice_size);
            }
        }
    }
    return result;
}

}  // namespace

template <typename ValueType, typename IndexType>
fault_count detail::find_pointer_faults(const WritableToMatrixData<ValueType, IndexType>& matrix)
{
    if (const auto csr = dynamic_cast<const matrix::Csr<ValueType, IndexType>*>(&matrix)) {
        return count_faulty_parts(*csr->get_executor(), csr->get_const_row_ptrs(), csr->get_size()[0],
                                  csr->get_num_stored_elements());
    }
    if (const auto pattern = dynamic_cast<const matrix::SparsityCsr<ValueType, IndexType>*>(&matrix)) {
        return count_faulty_parts(*pattern->get_executor(), pattern->get_const_row_ptrs(), pattern->get_size()[0],
                                  pattern->get_num_nonzeros());
    }
    if (const auto blocks = dynamic_cast<const matrix::Fbcsr<ValueType, IndexType>*>(&matrix)) {
        return count_faulty_parts(*blocks->get_executor(), blocks->get_const_row_ptrs(),
                                  static_cast<size_type>(blocks->get_num_block_rows()), blocks->get_num_stored_blocks(),
                                  static_cast<size_type>(blocks->get_block_size()));
    }
    if (const auto sellp = dynamic_cast<const matrix::Sellp<ValueType, IndexType>*>(&matrix)) {
        return count_faulty_slices(*sellp);
    }
    return {};
}

template <typename ValueType, typename IndexType>
matrix_report validate(const matrix_data<ValueType, IndexType>& data)
{
    const auto& entries = data.nonzeros;
    matrix_report report;
    std::vector<std::pair<size_type, bool>> diagonal;
    for (size_type i = 0; i < entries.size(); ++i) {
        const auto& [row, column, value] = entries[i];
        // Negative indices are too large as unsigned numbers.
        const auto row_index = static_cast<size_type>(row);
        if (i > 0 && entries[i] < entries[i - 1]) {
            count(report.unsorted, i);
        }
        if (row_index >= data.size[0] || static_cast<size_type>(column) >= data.size[1]) {
            count(report.outside, i);
        } else if (row == column) {
            diagonal.emplace_back(row_index, is_zero(value));
        }
        if (!is_finite(value)) {
            count(report.not_finite, i);
        }
    }
    count_diagonal(std::move(diagonal), std::min(data.size[0], data.size[1]), report);
    report.duplicates = count_duplicates(entries, report.is_sorted());
    return report;
}

std::ostream& operator<<(std::ostream& stream, const matrix_report& report)
{
    const struct {
        const fault_count& faults;
        const char* what;
        const char* where;
    } lines[] = {
        {report.unsorted, "out of order", "entry"},
        {report.duplicates, "at the place of an earlier one", "entry"},
        {report.outside, "outside of the matrix", "entry"},
        {report.not_finite, "infinite or not a number", "entry"},
        {report.missing_diagonal, "missing on the diagonal", "row"},
        {report.zero_diagonal, "zero on the diagonal", "row"},
        {report.pointers, "with pointers outside of the arrays or out of order, so that entries were not read", "row"},
    };
    const char* separator = "";
    for (const auto& line : lines) {
        if (line.faults) {
            stream << separator << line.faults.num << ' ' << line.what << " (first: " << line.where << ' '
                   << *line.faults.first << ')';
            separator = "; ";
        }
    }
    return *separator ? stream : stream << "no faults";
}

#define SPRUCE_FIND_POINTER_FAULTS(_value, _index) \
    SPRUCE_EXPORT fault_count detail::find_pointer_faults(const WritableToMatrixData<_value, _index>&)
SPRUCE_INSTANTIATE_FOR_EACH_VALUE_AND_INDEX_TYPE(SPRUCE_FIND_POINTER_FAULTS);

#define SPRUCE_VALIDATE(_value, _index) SPRUCE_EXPORT matrix_report validate(const matrix_data<_value, _index>&)
SPRUCE_INSTANTIATE_FOR_EACH_VALUE_AND_INDEX_TYPE(SPRUCE_VALIDATE);

}  // namespace spruce
