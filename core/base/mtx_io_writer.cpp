// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/base/mtx_io.hpp>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>

#include <zlib.h>

#include <spruce/base/exception.hpp>

#include "core/base/mtx_io_sort.hpp"

namespace spruce {
namespace mtx_io {
namespace {

/// Collects output and writes it in large pieces. close() must be called at the end.
class output {
public:
    output(std::string function, std::string name) : function_{std::move(function)}, name_{std::move(name)} {}
    virtual ~output() = default;

    void add(char character)
    {
        this->make_room(1);
        buffer_[used_++] = character;
    }

    void add(std::string_view text)
    {
        this->make_room(text.size());
        std::memcpy(buffer_ + used_, text.data(), text.size());
        used_ += text.size();
    }

    template <typename Number>
    void add_number(Number number)
    {
        constexpr size_type max_digits = 32;
        this->make_room(max_digits);
        used_ = std::to_chars(buffer_ + used_, buffer_ + used_ + max_digits, number).ptr - buffer_;
    }

    template <typename Number>
    void add_bytes(const Number& number)
    {
        this->add(std::string_view{reinterpret_cast<const char*>(&number), sizeof(number)});
    }

    virtual void close() { this->flush(); }

    [[noreturn]] void fail(const std::string& fault) const
    {
        throw StreamError(__FILE__, __LINE__, function_, name_ + ": " + fault);
    }

protected:
    void flush()
    {
        this->write(buffer_, used_);
        used_ = 0;
    }

private:
    virtual void write(const char* bytes, size_type size) = 0;

    void make_room(size_type size)
    {
        if (used_ + size > sizeof(buffer_)) {
            this->flush();
        }
    }

    std::string function_;
    std::string name_;
    size_type used_{};
    char buffer_[64 * 1024];
};

class stream_output final : public output {
public:
    stream_output(std::ostream& os, std::string function) : output{std::move(function), "<stream>"}, os_{os} {}

private:
    void write(const char* bytes, size_type size) override
    {
        if (!os_.write(bytes, static_cast<std::streamsize>(size))) {
            this->fail("writing failed");
        }
    }

    std::ostream& os_;
};

class file_output final : public output {
public:
    file_output(const std::string& path, std::string function) : output{std::move(function), path}
    {
        constexpr std::string_view ending = ".gz";
        const auto compresses =
            path.size() >= ending.size() && path.compare(path.size() - ending.size(), ending.size(), ending) == 0;
        // zlib can also write uncompressed files ("T").
        file_ = gzopen(path.c_str(), compresses ? "wb" : "wbT");
        if (!file_) {
            this->fail(std::string{"cannot be opened: "} + std::strerror(errno));
        }
    }
    file_output(const file_output&) = delete;
    file_output& operator=(const file_output&) = delete;
    ~file_output() override
    {
        if (file_) {
            gzclose(file_);
        }
    }

    void close() override
    {
        this->flush();
        const auto file = std::exchange(file_, nullptr);
        if (gzclose(file) != Z_OK) {
            this->fail(std::string{"writing failed: "} + std::strerror(errno));
        }
    }

private:
    void write(const char* bytes, size_type size) override
    {
        if (size > 0 && gzwrite(file_, bytes, static_cast<unsigned>(size)) == 0) {
            this->fail(std::string{"writing failed: "} + std::strerror(errno));
        }
    }

    gzFile file_;
};

template <typename ValueType, typename IndexType>
void check_entries(const matrix_data<ValueType, IndexType>& data, const char* function, const std::string& name)
{
    for (const auto& entry : data.nonzeros) {
        // A negative index is too large as an unsigned number.
        if (static_cast<size_type>(entry.row) >= data.size[0] || static_cast<size_type>(entry.column) >= data.size[1]) {
            throw StreamError(__FILE__, __LINE__, function,
                              name + ": the entry at row " + std::to_string(entry.row) + ", column " +
                                  std::to_string(entry.column) + " (counted from 0) lies outside of the " +
                                  std::to_string(data.size[0]) + " x " + std::to_string(data.size[1]) + " matrix");
        }
    }
}

template <typename ValueType>
void add_value(output& out, const ValueType& value)
{
    out.add_number(spruce::real(value));
    if constexpr (is_complex<ValueType>()) {
        out.add(' ');
        out.add_number(spruce::imag(value));
    }
    out.add('\n');
}

template <typename ValueType, typename IndexType>
void add_array(output& out, const matrix_data<ValueType, IndexType>& data)
{
    matrix_data<ValueType, IndexType> transposed{transpose(data.size)};
    transposed.nonzeros.reserve(data.nonzeros.size());
    for (const auto& entry : data.nonzeros) {
        transposed.nonzeros.emplace_back(entry.column, entry.row, entry.value);
    }
    sort_row_major(transposed);
    auto next = transposed.nonzeros.begin();
    const auto end = transposed.nonzeros.end();
    const auto num_cols = data.size[0] == 0 ? 0 : data.size[1];
    for (size_type column = 0; column < num_cols; ++column) {
        for (size_type row = 0; row < data.size[0]; ++row) {
            const auto is_next = [&] {
                return next != end && static_cast<size_type>(next->row) == column &&
                       static_cast<size_type>(next->column) == row;
            };
            // Zero plus the entry would lose the sign of -0.0.
            auto value = is_next() ? (next++)->value : zero<ValueType>();
            while (is_next()) {
                value += (next++)->value;
            }
            add_value(out, value);
        }
    }
}

template <typename ValueType, typename IndexType>
void write_text(output& out, const matrix_data<ValueType, IndexType>& data, layout_type layout)
{
    out.add("%%MatrixMarket matrix ");
    out.add(layout == layout_type::array ? "array " : "coordinate ");
    out.add(is_complex<ValueType>() ? "complex general\n" : "real general\n");
    out.add_number(data.size[0]);
    out.add(' ');
    out.add_number(data.size[1]);
    if (layout == layout_type::array) {
        out.add('\n');
        add_array(out, data);
    } else {
        out.add(' ');
        out.add_number(data.nonzeros.size());
        out.add('\n');
        for (const auto& entry : data.nonzeros) {
            out.add_number(static_cast<uint64>(entry.row) + 1);
            out.add(' ');
            out.add_number(static_cast<uint64>(entry.column) + 1);
            out.add(' ');
            add_value(out, entry.value);
        }
    }
    out.close();
}

template <typename ValueType, typename IndexType>
void write_binary(output& out, const matrix_data<ValueType, IndexType>& data)
{
    constexpr auto is_single = sizeof(remove_complex<ValueType>) == sizeof(float);
    out.add("GINKGO");
    out.add(is_complex<ValueType>() ? (is_single ? 'C' : 'Z') : (is_single ? 'S' : 'D'));
    out.add(sizeof(IndexType) == sizeof(int32) ? 'I' : 'L');
    for (const auto size : {data.size[0], data.size[1], data.nonzeros.size()}) {
        out.add_bytes(static_cast<uint64>(size));
    }
    for (const auto& entry : data.nonzeros) {
        out.add_bytes(entry.row);
        out.add_bytes(entry.column);
        out.add_bytes(entry.value);
    }
    out.close();
}

}  // namespace
}  // namespace mtx_io

template <typename ValueType, typename IndexType>
void write_raw(std::ostream& os, const matrix_data<ValueType, IndexType>& data, layout_type layout)
{
    mtx_io::check_entries(data, __func__, "<stream>");
    mtx_io::stream_output out{os, __func__};
    mtx_io::write_text(out, data, layout);
}

template <typename ValueType, typename IndexType>
void write_binary_raw(std::ostream& os, const matrix_data<ValueType, IndexType>& data)
{
    mtx_io::check_entries(data, __func__, "<stream>");
    mtx_io::stream_output out{os, __func__};
    mtx_io::write_binary(out, data);
}

template <typename ValueType, typename IndexType>
void write_file(const std::string& path, const matrix_data<ValueType, IndexType>& data, layout_type layout)
{
    mtx_io::check_entries(data, __func__, path);
    mtx_io::file_output out{path, __func__};
    mtx_io::write_text(out, data, layout);
}

template <typename ValueType, typename IndexType>
void write_binary_file(const std::string& path, const matrix_data<ValueType, IndexType>& data)
{
    mtx_io::check_entries(data, __func__, path);
    mtx_io::file_output out{path, __func__};
    mtx_io::write_binary(out, data);
}

#define SPRUCE_DECLARE_WRITE_RAW(ValueType, IndexType) \
    void write_raw<ValueType, IndexType>(std::ostream&, const matrix_data<ValueType, IndexType>&, layout_type)
SPRUCE_INSTANTIATE_FOR_EACH_VALUE_AND_INDEX_TYPE(SPRUCE_DECLARE_WRITE_RAW);
#define SPRUCE_DECLARE_WRITE_BINARY_RAW(ValueType, IndexType) \
    void write_binary_raw<ValueType, IndexType>(std::ostream&, const matrix_data<ValueType, IndexType>&)
SPRUCE_INSTANTIATE_FOR_EACH_VALUE_AND_INDEX_TYPE(SPRUCE_DECLARE_WRITE_BINARY_RAW);
#define SPRUCE_DECLARE_WRITE_FILE(ValueType, IndexType) \
    void write_file<ValueType, IndexType>(const std::string&, const matrix_data<ValueType, IndexType>&, layout_type)
SPRUCE_INSTANTIATE_FOR_EACH_VALUE_AND_INDEX_TYPE(SPRUCE_DECLARE_WRITE_FILE);
#define SPRUCE_DECLARE_WRITE_BINARY_FILE(ValueType, IndexType) \
    void write_binary_file<ValueType, IndexType>(const std::string&, const matrix_data<ValueType, IndexType>&)
SPRUCE_INSTANTIATE_FOR_EACH_VALUE_AND_INDEX_TYPE(SPRUCE_DECLARE_WRITE_BINARY_FILE);

}  // namespace spruce
