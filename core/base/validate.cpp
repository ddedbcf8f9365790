// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/base/validate.hpp>

#include <algorithm>
#include <limits>
#include <numeric>
#include <ostream>
#include <utility>
#include <vector>

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

}  // namespace

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

#define SPRUCE_VALIDATE(_value, _index) SPRUCE_EXPORT matrix_report validate(const matrix_data<_value, _index>&)
SPRUCE_INSTANTIATE_FOR_EACH_VALUE_AND_INDEX_TYPE(SPRUCE_VALIDATE);

}  // namespace spruce
