// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>

#include <spruce/base/types.hpp>

namespace spruce::mtx_io {

/// Provides the bytes of a file in their order.
class byte_source {
public:
    virtual ~byte_source() = default;

    /// Reads up to size bytes into buffer and returns their number, which is 0 only at the end.
    /// Throws read_fault.
    virtual size_type read(char* buffer, size_type size) = 0;

    /// Returns an estimate of the number of remaining bytes, or 0 if there is none. It may be far
    /// off.
    virtual size_type estimate_rest() = 0;
};

/// Provides the input for the readers: buffered bytes by lines or blocks, and errors that contain
/// the position.
class input {
public:
    /// @param function  the public function, for error messages
    /// @param name  the file, for error messages
    input(std::istream& is, std::string function, std::string name);
    ~input();

    /// Returns the next bytes without consuming them: `size` bytes, or fewer at the end of the
    /// input. They are valid until the next call.
    std::string_view peek(size_type size);

    /// Returns true if these are the next bytes. Does not consume them.
    bool starts_with(std::string_view bytes) { return this->peek(bytes.size()) == bytes; }

    /// Consumes bytes that peek() has returned.
    void skip(size_type size) { begin_ += size; }

    /// Decompresses the rest of the input, which is in gzip format.
    void decompress();

    /// Reads the next line without its end (LF or CR LF). It is valid until the next call. Returns
    /// false at the end.
    bool next_line(std::string_view& line);

    /// Makes errors name records instead of lines from now on. add_record() counts records.
    void count_records() { in_records_ = true; }
    void add_record() { ++position_; }

    /// Reads size bytes, or fewer at the end, and returns their number.
    size_type read(char* buffer, size_type size);

    /// Returns an estimate of the number of remaining bytes. It may be far too small or too large,
    /// because streams may report wrong sizes.
    size_type estimate_rest() { return end_ - begin_ + source_->estimate_rest(); }

    /// Throws a StreamError about the line (record) that was read last, or about the next one.
    [[noreturn]] void fail(const std::string& fault) const { this->fail_at(position_, fault); }
    [[noreturn]] void fail_at_next(const std::string& fault) const { this->fail_at(position_ + 1, fault); }

    /// Returns the beginning of errors about the line (record) that was read last:
    /// "poisson.mtx:17".
    std::string location() const { return this->location_at(position_); }

private:
    std::string location_at(size_type position) const;
    [[noreturn]] void fail_at(size_type position, const std::string& fault) const;

    /// Appends more bytes to the buffer; returns false at the end.
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

/// Returns the text for an error message: short, and without unprintable bytes.
std::string quoted(std::string_view text);

}  // namespace spruce::mtx_io
