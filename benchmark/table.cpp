// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "benchmark/table.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <iostream>
#include <sstream>

namespace spruce::bench {
namespace {

constexpr std::size_t gap = 2;

void print_cell(std::ostream& os, const std::string& text, std::size_t width, table::align side)
{
    const std::string padding(width - std::min(width, text.size()), ' ');
    os << (side == table::align::left ? text + padding : padding + text);
}

}  // namespace

void table::print(std::ostream& os) const
{
    std::vector<std::size_t> widths;
    std::size_t total = 0;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        auto width = columns_[i].title.size();
        for (const auto& row : rows_) {
            const auto runs_on = i + 1 == row.size() && row.size() < columns_.size();
            if (i < row.size() && !runs_on) {
                width = std::max(width, row[i].size());
            }
        }
        widths.push_back(width);
        total += width + (i > 0 ? gap : 0);
    }

    const auto print_row = [&](const std::vector<std::string>& cells) {
        std::ostringstream line;
        for (std::size_t i = 0; i < cells.size(); ++i) {
            const auto runs_on = i + 1 == cells.size() && cells.size() < columns_.size();
            line << (i > 0 ? std::string(gap, ' ') : "");
            print_cell(line, cells[i], widths[i], runs_on ? align::left : columns_[i].side);
        }
        auto text = line.str();
        text.erase(text.find_last_not_of(' ') + 1);
        os << text << '\n';
    };

    std::vector<std::string> titles;
    for (const auto& column : columns_) {
        titles.push_back(column.title);
    }
    print_row(titles);
    os << std::string(total, '-') << '\n';
    for (const auto& row : rows_) {
        if (row.empty()) {
            os << std::string(total, '-') << '\n';
        } else {
            print_row(row);
        }
    }
}

std::string scientific_text(double value)
{
    std::ostringstream text;
    text.precision(1);
    text << std::scientific << value;
    return text.str();
}

std::string to_text(double value, int digits)
{
    const auto magnitude =
        value == 0 || !std::isfinite(value) ? 0 : static_cast<int>(std::floor(std::log10(std::abs(value))));
    std::ostringstream os;
    os << std::fixed << std::setprecision(std::clamp(digits - 1 - magnitude, 0, 12)) << value;
    return os.str();
}

std::string time_text(double seconds)
{
    if (seconds < 1e-3) {
        return to_text(1e6 * seconds) + " us";
    }
    return seconds < 1 ? to_text(1e3 * seconds) + " ms" : to_text(seconds) + " s ";
}

std::string bytes_text(double bytes)
{
    if (bytes < 1e6) {
        return to_text(bytes / 1e3) + " kB";
    }
    return bytes < 1e9 ? to_text(bytes / 1e6) + " MB" : to_text(bytes / 1e9) + " GB";
}

}  // namespace spruce::bench
