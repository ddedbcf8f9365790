// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "benchmark/generators/parameters.hpp"

#include <algorithm>
#include <charconv>
#include <locale>
#include <sstream>
#include <utility>

#include <spruce/base/exception.hpp>

namespace spruce::bench {
namespace {

std::vector<std::string> split(const std::string& text, char separator)
{
    std::vector<std::string> parts;
    size_type begin = 0;
    for (auto end = text.find(separator); end != std::string::npos; end = text.find(separator, begin)) {
        parts.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    parts.push_back(text.substr(begin));
    return parts;
}

bool to_integer(const std::string& text, int64& value)
{
    const auto end = text.data() + text.size();
    const auto result = std::from_chars(text.data(), end, value);
    return result.ec == std::errc{} && result.ptr == end;
}

std::string to_text(double value)
{
    std::ostringstream stream;
    stream.imbue(std::locale::classic());
    stream << value;
    return stream.str();
}

std::string out_of_range(const std::string& name, const std::string& text, const std::string& kind,
                         const std::string& min, const std::string& max)
{
    return name + " should be " + kind + " from " + min + " to " + max + ", but is '" + text + "'";
}

}  // namespace

parameters::parameters(std::string family, std::string usage, const std::string& text)
    : family_{std::move(family)}, usage_{std::move(usage)}, text_{text}
{
    if (text.empty()) {
        return;
    }
    for (const auto& item : split(text, ',')) {
        if (item.empty()) {
            this->fail("a parameter is empty");
        }
        if (std::string{"0123456789+-."}.find(item[0]) != std::string::npos) {
            positional_.push_back(item);
            continue;
        }
        const auto equals = item.find('=');
        // A flag has no value, and an option has a nonempty one.
        if (equals != std::string::npos && equals + 1 == item.size()) {
            this->fail("'" + item + "' has no value");
        }
        const auto value = equals == std::string::npos ? "" : item.substr(equals + 1);
        if (!options_.emplace(item.substr(0, equals), value).second) {
            this->fail("'" + item.substr(0, equals) + "' is given twice");
        }
    }
}

const std::string& parameters::next(const std::string& name)
{
    if (!this->has_next()) {
        this->fail(name + " is missing");
    }
    return positional_[next_++];
}

int64 parameters::next_integer(const std::string& name, int64 min, int64 max)
{
    const auto& text = this->next(name);
    int64 value{};
    if (!to_integer(text, value) || value < min || value > max) {
        this->fail(out_of_range(name, text, "an integer", std::to_string(min), std::to_string(max)));
    }
    return value;
}

double parameters::next_real(const std::string& name, double min, double max)
{
    return this->to_real(name, this->next(name), min, max);
}

std::vector<int64> parameters::next_sizes(const std::string& name, int count, int64 min)
{
    const auto& text = this->next(name);
    std::vector<int64> sizes;
    for (const auto& part : split(text, 'x')) {
        int64 value{};
        if (!to_integer(part, value) || value < min || value > max_size) {
            this->fail(out_of_range("each size in " + name, part, "an integer", std::to_string(min),
                                    std::to_string(max_size)));
        }
        sizes.push_back(value);
    }
    if (sizes.size() == 1) {
        sizes.resize(count, sizes[0]);
    }
    if (static_cast<int>(sizes.size()) != count) {
        this->fail(name + " should be one size or " + std::to_string(count) + ", but is '" + text + "'");
    }
    return sizes;
}

bool parameters::flag(const std::string& name)
{
    const auto found = options_.find(name);
    if (found == options_.end()) {
        return false;
    }
    if (!found->second.empty()) {
        this->fail("'" + name + "' takes no value");
    }
    options_.erase(found);
    return true;
}

int parameters::one_of(const std::vector<std::string>& names)
{
    int chosen = -1;
    for (size_type i = 0; i < names.size(); ++i) {
        if (this->flag(names[i])) {
            if (chosen >= 0) {
                this->fail("'" + names[chosen] + "' and '" + names[i] + "' exclude each other");
            }
            chosen = static_cast<int>(i);
        }
    }
    return chosen;
}

double parameters::option(const std::string& name, double default_value, double min, double max)
{
    const auto found = options_.find(name);
    if (found == options_.end()) {
        return default_value;
    }
    const auto value = this->to_real(name, found->second, min, max);
    options_.erase(found);
    return value;
}

int parameters::choice(const std::string& name, const std::vector<std::string>& names)
{
    const auto found = options_.find(name);
    if (found == options_.end()) {
        return 0;
    }
    const auto chosen = std::find(names.begin(), names.end(), found->second);
    if (chosen == names.end()) {
        std::string list;
        for (const auto& accepted : names) {
            list += " " + accepted;
        }
        this->fail(name + " should be one of" + list + ", but is '" + found->second + "'");
    }
    options_.erase(found);
    return static_cast<int>(chosen - names.begin());
}

uint64 parameters::seed()
{
    const auto found = options_.find("seed");
    if (found == options_.end()) {
        return 42;
    }
    int64 value{};
    if (!to_integer(found->second, value) || value < 0) {
        this->fail("seed should be a nonnegative integer, but is '" + found->second + "'");
    }
    options_.erase(found);
    return static_cast<uint64>(value);
}

void parameters::check(double rows, double cols, double entries)
{
    if (this->has_next()) {
        this->fail("'" + positional_[next_] + "' is one parameter too many");
    }
    if (!options_.empty()) {
        this->fail("'" + options_.begin()->first + "' is not an option of this family");
    }
    if (rows > max_size || cols > max_size) {
        this->fail("a matrix of " + to_text(rows) + " x " + to_text(cols) + " exceeds the limit of " +
                   std::to_string(max_size) + " rows and columns");
    }
    if (entries > static_cast<double>(max_entries)) {
        this->fail("a matrix of about " + to_text(entries) + " entries exceeds the limit of " +
                   std::to_string(max_entries));
    }
    checked_bytes_ = static_cast<size_type>(entries) * (sizeof(double) + sizeof(int32)) +
                     static_cast<size_type>(rows) * sizeof(int64);
}

void parameters::fail(const std::string& what) const
{
    throw InvalidStateError(
        __FILE__, __LINE__, "generate",
        "'" + family_ + (text_.empty() ? "" : ":" + text_) + "': " + what + "; expected " + family_ + ":" + usage_);
}

double parameters::to_real(const std::string& name, const std::string& text, double min, double max) const
{
    std::istringstream stream{text};
    stream.imbue(std::locale::classic());
    double value{};
    // The condition is negated, so that it rejects NaN, too.
    if (!(stream >> value) || stream.peek() != std::istringstream::traits_type::eof() ||
        !(value >= min && value <= max)) {
        this->fail(out_of_range(name, text, "a number", to_text(min), to_text(max)));
    }
    return value;
}

}  // namespace spruce::bench
