// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <map>
#include <string>
#include <vector>

#include <spruce/base/types.hpp>

namespace spruce::bench {

/// Parses the parameters of one family.
///
/// For example, "64x64,3,spd,seed=7" contains the positional items 64x64 and 3, which begin with a
/// digit or sign, the flag spd and the option seed. A family reads the parameters that it knows.
/// Then it calls check(), which rejects all others. Every fault throws InvalidStateError with the
/// family's usage.
class parameters {
public:
    /// @param usage  description of the parameters for messages
    parameters(std::string family, std::string usage, const std::string& text);

    bool has_next() const { return next_ < positional_.size(); }
    int64 next_integer(const std::string& name, int64 min, int64 max = max_size);
    double next_real(const std::string& name, double min, double max);
    /// Reads count numbers in the form NxMxK. A single number stands for count equal numbers.
    std::vector<int64> next_sizes(const std::string& name, int count, int64 min);

    bool flag(const std::string& name);
    /// Returns the index of the flag that is given, or -1 if none is. Two of the flags are a fault.
    int one_of(const std::vector<std::string>& names);
    double option(const std::string& name, double default_value, double min, double max);
    /// Returns the index of the chosen name, or 0 if the option is not given.
    int choice(const std::string& name, const std::vector<std::string>& names);
    uint64 seed();

    /// Finishes the reading. All parameters must have been used, and the matrix must fit the index
    /// type and the limit of entries. The arguments are double, so that products of sizes do not
    /// overflow.
    void check(double rows, double cols, double entries);
    /// Returns the approximate memory of the matrix that was checked last, in bytes.
    size_type checked_bytes() const { return checked_bytes_; }

    [[noreturn]] void fail(const std::string& what) const;

    static constexpr int64 max_size = 0x7fffffff;
    static constexpr int64 max_entries = int64{1} << 33;

private:
    const std::string& next(const std::string& name);
    double to_real(const std::string& name, const std::string& text, double min, double max) const;

    std::string family_;
    std::string usage_;
    std::string text_;
    std::vector<std::string> positional_;
    size_type next_{};
    size_type checked_bytes_{};
    std::map<std::string, std::string> options_;  // those that are not read yet; a flag has the value ""
};

}  // namespace spruce::bench
