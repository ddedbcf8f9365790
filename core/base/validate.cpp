// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/base/validate.hpp>

#include <algorithm>
#include <limits>
#include <numeric>
#include <ostream>
#include <vector>

namespace spruce {
namespace {

/// Entries have to be counted in ascending order.
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
    // Entries at one place keep their order, so the first of them is no duplicate.
    std::stable_sort(order.begin(), order.end(), [&](size_type a, size_type b) { return entries[a] < entries[b]; });
    for (size_type i = 1; i < order.size(); ++i) {
        if (!(entries[order[i - 1]] < entries[order[i]])) {
            duplicates.first = std::min(duplicates.first.value_or(order[i]), order[i]);
            ++duplicates.num;
        }
    }
    return duplicates;
}

}  // namespace

template <typename ValueType, typename IndexType>
matrix_report validate(const matrix_data<ValueType, IndexType>& data)
{
    const auto& entries = data.nonzeros;
    matrix_report report;
    std::vector<bool> has_diagonal(std::min(data.size[0], data.size[1]));
    std::vector<bool> has_zero(has_diagonal.size());
    for (size_type i = 0; i < entries.size(); ++i) {
        const auto& [row, column, value] = entries[i];
        // Negative indices are huge without a sign.
        const auto place = static_cast<size_type>(row);
        if (i > 0 && entries[i] < entries[i - 1]) {
            count(report.unsorted, i);
        }
        if (place >= data.size[0] || static_cast<size_type>(column) >= data.size[1]) {
            count(report.outside, i);
        } else if (row == column && !has_diagonal[place]) {
            has_diagonal[place] = true;
            has_zero[place] = is_zero(value);
        }
        if (!is_finite(value)) {
            count(report.not_finite, i);
        }
    }
    for (size_type i = 0; i < has_diagonal.size(); ++i) {
        if (!has_diagonal[i]) {
            count(report.missing_diagonal, i);
        }
        if (has_zero[i]) {
            count(report.zero_diagonal, i);
        }
    }
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
