// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/base/mtx_io_input.hpp"

#include <algorithm>
#include <cstring>
#include <istream>
#include <stdexcept>
#include <vector>

#include <zlib.h>

#include <spruce/base/exception.hpp>

namespace spruce::mtx_io {
namespace {

/// This also limits the length of lines. The format allows 1024 characters.
constexpr size_type buffer_size = 256 * 1024;

struct read_fault : std::runtime_error {
    using std::runtime_error::runtime_error;
};

class stream_source final : public byte_source {
public:
    explicit stream_source(std::istream& is) : is_{is} {}

    size_type read(char* buffer, size_type size) override
    {
        // The stream buffer is read directly, because the stream itself may be configured to throw
        // an exception at its end.
        try {
            const auto count = static_cast<size_type>(is_.rdbuf()->sgetn(buffer, static_cast<std::streamsize>(size)));
            if (count == 0) {
                this->mark_end();
            }
            return count;
        } catch (const std::exception& error) {
            throw read_fault(std::string{"cannot be read: "} + error.what());
        }
    }

    size_type estimate_rest() override
    {
        try {
            return static_cast<size_type>(std::max<std::streamsize>(is_.rdbuf()->in_avail(), 0));
        } catch (const std::exception&) {
            return 0;
        }
    }

private:
    void mark_end()
    {
        try {
            is_.setstate(std::ios_base::eofbit);
        } catch (const std::ios_base::failure&) {
        }
    }

    std::istream& is_;
};

class gzip_source final : public byte_source {
public:
    gzip_source(std::unique_ptr<byte_source> compressed, std::string_view head)
        : compressed_{std::move(compressed)}, buffer_(std::max(buffer_size, head.size()))
    {
        std::copy(head.begin(), head.end(), buffer_.begin());
        stream_.next_in = reinterpret_cast<Bytef*>(buffer_.data());
        stream_.avail_in = static_cast<uInt>(head.size());
        constexpr int gzip_only = 16;
        if (inflateInit2(&stream_, MAX_WBITS + gzip_only) != Z_OK) {
            throw std::bad_alloc{};
        }
    }
    gzip_source(const gzip_source&) = delete;
    gzip_source& operator=(const gzip_source&) = delete;
    ~gzip_source() override { inflateEnd(&stream_); }

    size_type read(char* buffer, size_type size) override
    {
        stream_.next_out = reinterpret_cast<Bytef*>(buffer);
        stream_.avail_out = static_cast<uInt>(size);
        while (stream_.avail_out > 0 && !fault_) {
            fault_ = this->inflate_some();
        }
        // Bytes before the fault are returned first, so that the error names the correct line.
        if (stream_.avail_out == size && *fault_ != '\0') {
            throw read_fault(fault_);
        }
        return size - stream_.avail_out;
    }

    /// Returns an estimate of the number of remaining bytes. Compression reduces the size of
    /// matrices in text form to a third or less.
    size_type estimate_rest() override { return 4 * (stream_.avail_in + compressed_->estimate_rest()); }

private:
    /// Decompresses some bytes. Returns null after progress, and otherwise the new value of fault_.
    const char* inflate_some()
    {
        if (after_member_ && !this->skip_padding()) {
            return "more than 64 MiB of zeros follow the gzip data";
        }
        if (!this->has_input()) {
            return after_member_ ? "" : "the gzip data is cut short";
        }
        if (after_member_) {
            // A gzip file may consist of several consecutive members.
            if (*stream_.next_in != 0x1f) {
                return "other bytes follow the gzip data";
            }
            inflateReset(&stream_);
            after_member_ = false;
        }
        const auto status = inflate(&stream_, Z_NO_FLUSH);
        after_member_ = status == Z_STREAM_END;
        return status == Z_OK || status == Z_STREAM_END ? nullptr : "the gzip data is damaged";
    }

    /// Reads more compressed bytes if none are left; returns false at the end.
    bool has_input()
    {
        if (stream_.avail_in == 0) {
            stream_.next_in = reinterpret_cast<Bytef*>(buffer_.data());
            stream_.avail_in = static_cast<uInt>(compressed_->read(buffer_.data(), buffer_.size()));
        }
        return stream_.avail_in > 0;
    }

    /// Skips the zeros with which tapes and archivers fill the last block after a member. Returns
    /// false if there are too many zeros, such as in the hole of a sparse file.
    bool skip_padding()
    {
        constexpr size_type max_padding = 64 << 20;
        size_type padding = 0;
        while (padding <= max_padding && this->has_input() && *stream_.next_in == 0) {
            ++stream_.next_in;
            --stream_.avail_in;
            ++padding;
        }
        return padding <= max_padding;
    }

    std::unique_ptr<byte_source> compressed_;
    std::vector<char> buffer_;
    z_stream stream_{};
    bool after_member_{};
    const char* fault_{};  // an empty text at a regular end
};

}  // namespace

input::input(std::istream& is, std::string function, std::string name)
    : source_{std::make_unique<stream_source>(is)},
      function_{std::move(function)},
      name_{std::move(name)},
      buffer_{new char[buffer_size]}
{
    if (!is) {
        throw StreamError(__FILE__, __LINE__, function_, name_ + ": the stream is in a failed state (file not found?)");
    }
}

input::~input() = default;

std::string_view input::peek(size_type size)
{
    while (end_ - begin_ < size && this->refill()) {
    }
    return std::string_view{buffer_.get() + begin_, end_ - begin_}.substr(0, size);
}

void input::decompress()
{
    source_ =
        std::make_unique<gzip_source>(std::move(source_), std::string_view{buffer_.get() + begin_, end_ - begin_});
    begin_ = end_ = 0;
}

bool input::next_line(std::string_view& line)
{
    size_type searched = 0;
    while (true) {
        const auto size = end_ - begin_;
        const auto begin = buffer_.get() + begin_;
        const auto line_end = static_cast<const char*>(std::memchr(begin + searched, '\n', size - searched));
        if (!line_end && this->refill()) {
            searched = size;
            continue;
        }
        if (!line_end && size == 0) {
            return false;
        }
        // The variable begin may be outdated, because refill() may have moved the line.
        line = std::string_view{buffer_.get() + begin_, line_end ? line_end - begin : size};
        begin_ += line.size() + (line_end ? 1 : 0);
        ++position_;
        if (!line.empty() && line.back() == '\r') {
            line.remove_suffix(1);
        }
        return true;
    }
}

size_type input::read(char* buffer, size_type size)
{
    size_type done = 0;
    while (done < size && (begin_ < end_ || this->refill())) {
        const auto count = std::min(size - done, end_ - begin_);
        std::memcpy(buffer + done, buffer_.get() + begin_, count);
        begin_ += count;
        done += count;
    }
    return done;
}

bool input::refill()
{
    if (begin_ > 0) {
        std::memmove(buffer_.get(), buffer_.get() + begin_, end_ - begin_);
        end_ -= begin_;
        begin_ = 0;
    }
    if (end_ == buffer_size) {
        this->fail_at_next("the line is longer than " + std::to_string(buffer_size) + " bytes");
    }
    try {
        const auto count = source_->read(buffer_.get() + end_, buffer_size - end_);
        end_ += count;
        return count > 0;
    } catch (const read_fault& fault) {
        this->fail_at_next(fault.what());
    }
}

std::string input::location_at(size_type position) const
{
    return name_ + (in_records_ ? ": record " : ":") + std::to_string(position);
}

void input::fail_at(size_type position, const std::string& fault) const
{
    throw StreamError(__FILE__, __LINE__, function_, this->location_at(position) + ": " + fault);
}

std::string quoted(std::string_view text)
{
    constexpr size_type max_shown = 40;
    std::string result = "'";
    for (const auto character : text.substr(0, max_shown)) {
        const auto byte = static_cast<unsigned char>(character);
        if (byte >= 0x20 && byte < 0x7f) {
            result += character;
        } else {
            constexpr auto digits = "0123456789abcdef";
            result += {'\\', 'x', digits[byte / 16], digits[byte % 16]};
        }
    }
    return result + (text.size() > max_shown ? "...'" : "'");
}

}  // namespace spruce::mtx_io
