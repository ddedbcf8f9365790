// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <iosfwd>
#include <string>
#include <utility>
#include <vector>

namespace spruce::bench {

/// Text in aligned columns.
class table {
public:
    enum class align { left, right };
    struct column {
        std::string title;
        align side;
    };

    explicit table(std::vector<column> columns) : columns_{std::move(columns)} {}

    /// A row; the last cell may run on over the columns that it leaves out.
    void add_row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
    /// A line between the rows before and after.
    void add_rule() { rows_.emplace_back(); }
    void print(std::ostream& os) const;

private:
    std::vector<column> columns_;
    std::vector<std::vector<std::string>> rows_;  ///< an empty one is a rule
};

/// value with digits significant ones, without exponent: "139.2", "0.00713".
std::string to_text(double value, int digits = 4);
/// 1.2e-10
std::string scientific_text(double value);
/// "139.2 us"
std::string time_text(double seconds);
/// "23.51 MB"
std::string bytes_text(double bytes);

}  // namespace spruce::bench
