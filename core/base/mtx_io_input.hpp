// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>

#include <spruce/base/types.hpp>

namespace spruce::mtx_io {

/// Bytes in the order of a file.
class byte_source {
public:
    virtual ~byte_source() = default;

    /// Reads up to size bytes into buffer and returns how many: 0 only at the end. Throws read_fault.
    virtual size_type read(char* buffer, size_type size) = 0;

    /// Returns a guess how many bytes are left, 0 if there is none. It may be far off.
    virtual size_type estimate_rest() = 0;
};

/// An input for the readers: buffered bytes by lines or blocks, and errors that name the place.
class input {
public:
    /// @param function  the public function, named in errors
    /// @param name  the file, named in errors
    input(std::istream& is, std::string function, std::string name);
    ~input();

    /// Returns the next bytes, as many as asked for unless the input ends before, and does not consume them. They
    /// are valid until the next call.
    std::string_view peek(size_type size);

    /// Returns true if these are the next bytes, and does not consume them.
    bool starts_with(std::string_view bytes) { return this->peek(bytes.size()) == bytes; }

    /// Consumes bytes that peek has shown.
    void skip(size_type size) { begin_ += size; }

    /// Takes the rest of the input as compressed by gzip.
    void decompress();

    /// Gets the next line without its end (LF or CR LF); it is valid until the next call. Returns false at the end.
    bool next_line(std::string_view& line);

    /// Errors name records instead of lines from now on; add_records counts them.
    void count_records() { in_records_ = true; }
    void add_record() { ++position_; }

    /// Reads size bytes, less only at the end, and returns how many.
    size_type read(char* buffer, size_type size);

    /// Returns a guess how many bytes are left. It may be far off in both directions: streams may report wrong sizes.
    size_type estimate_rest() { return end_ - begin_ + source_->estimate_rest(); }

    /// Throws a StreamError about the line (record) that was read last, or about the one after it.
    [[noreturn]] void fail(const std::string& fault) const { this->fail_at(position_, fault); }
    [[noreturn]] void fail_at_next(const std::string& fault) const { this->fail_at(position_ + 1, fault); }

    /// What errors about the line (record) that was read last begin with: "poisson.mtx:17".
    std::string place() const { return this->place_at(position_); }

private:
    std::string place_at(size_type position) const;
    [[noreturn]] void fail_at(size_type position, const std::string& fault) const;

    /// Reads more behind what is there; returns false at the end.
    bool refill();

    std::unique_ptr<byte_source> source_;
    std::string function_;
    std::string name_;
    std::unique_ptr<char[]> buffer_;
    size_type begin_{};
    size_type end_{};
    size_type position_{};
    bool in_records_{};
};

/// The text for an error message: short, and without bytes that a terminal does not print.
std::string quoted(std::string_view text);

}  // namespace spruce::mtx_io
