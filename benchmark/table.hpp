// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <iosfwd>
#include <string>
#include <utility>
#include <vector>

namespace spruce::bench {

/// Prints text in aligned columns.
class table {
public:
    enum class align { left, right };
    struct column {
        std::string title;
        align side;
    };

    explicit table(std::vector<column> columns) : columns_{std::move(columns)} {}

    /// Adds a row. If it has fewer cells than the table has columns, the last cell may extend over
    /// the others.
    void add_row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
    /// Adds a horizontal line between two rows.
    void add_rule() { rows_.emplace_back(); }
    void print(std::ostream& os) const;

private:
    std::vector<column> columns_;
    std::vector<std::vector<std::string>> rows_;  ///< an empty row represents a horizontal line
};

/// Returns the value with the given number of significant digits and without an exponent, such as
/// "139.2" or "0.00713".
std::string to_text(double value, int digits = 4);
/// Returns the value in scientific notation, such as "1.2e-10".
std::string scientific_text(double value);
/// Returns the time with the unit us, ms or s.
std::string time_text(double seconds);
/// Returns the number of bytes with a unit, such as "23.51 MB".
std::string bytes_text(double bytes);

}  // namespace spruce::bench
