// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/base/mtx_io.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <complex>
#include <cstring>
#include <fstream>
#include <functional>
#include <limits>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <spruce/base/exception.hpp>
#include <spruce/base/math.hpp>

#include "core/base/allocation_limit.hpp"
#include "core/base/mtx_io_input.hpp"
#include "core/base/mtx_io_sort.hpp"

namespace spruce {
namespace mtx_io {
namespace {

using namespace std::string_view_literals;

constexpr auto gzip_magic = "\x1f\x8b"sv;
constexpr auto binary_magic = "GINKGO"sv;
constexpr auto utf8_byte_order_mark = "\xef\xbb\xbf"sv;

/// Describes data that are not a matrix in text form, and the bytes by which they are recognized.
struct other_format {
    size_type offset;
    std::string_view bytes;
    const char* name;
    const char* advice;
};

constexpr auto decompress = "decompress it first";
constexpr auto unpack = "unpack it first";
constexpr auto encode = "save it as UTF-8";

/// UTF-32 precedes UTF-16, because its byte order mark begins with that of UTF-16.
constexpr other_format other_formats[] = {
    {0, binary_magic, "a binary matrix file", "read it by read_binary or read_generic"},
    {0, gzip_magic, "compressed by gzip", "decompress it once, or read it by read_generic or read_file"},
    {0, "\xfd\x37zXZ\0"sv, "compressed by xz", decompress},
    {0, "BZh"sv, "compressed by bzip2", decompress},
    {0, "\x28\xb5\x2f\xfd"sv, "compressed by zstd", decompress},
    {0, "\x04\x22\x4d\x18"sv, "compressed by lz4", decompress},
    {0, "\x1f\x9d"sv, "compressed by compress", decompress},
    {0, "\x5d\0\0"sv, "compressed by lzma", decompress},
    {0, "LZIP"sv, "compressed by lzip", decompress},
    {0, "PK\3\4"sv, "a zip archive", unpack},
    {0, "PK\5\6"sv, "a zip archive", unpack},
    {0, "7z\xbc\xaf\x27\x1c"sv, "a 7z archive", unpack},
    {257, "ustar"sv, "a tar archive", unpack},
    {0, "\xff\xfe\0\0"sv, "text in UTF-32", encode},
    {0, "\0\0\xfe\xff"sv, "text in UTF-32", encode},
    {0, "\xff\xfe"sv, "text in UTF-16", encode},
    {0, "\xfe\xff"sv, "text in UTF-16", encode},
    {0, "%\0"sv, "text in UTF-16", encode},
    {0, "\0%"sv, "text in UTF-16", encode},
};

enum class field { real, integer, complex, pattern };
enum class symmetry { general, symmetric, skew_symmetric, hermitian };

struct text_header {
    layout_type layout;
    mtx_io::field field;
    mtx_io::symmetry symmetry;
};

bool is_blank(char character) { return character == ' ' || character == '\t'; }

/// Removes the next word from the line and returns it. The word is empty at the end of the line.
std::string_view next_word(std::string_view& line)
{
    const auto begin = std::find_if_not(line.begin(), line.end(), is_blank);
    const auto end = std::find_if(begin, line.end(), is_blank);
    const auto word = line.substr(begin - line.begin(), end - begin);
    line.remove_prefix(end - line.begin());
    return word;
}

/// Reads the next word of the header line and returns its index in the names.
template <size_type n>
int next_choice(const input& in, std::string_view& line, const char* what, const std::array<std::string_view, n>& names)
{
    const auto word = next_word(line);
    std::string lower_case{word};
    for (auto& character : lower_case) {
        character = 'A' <= character && character <= 'Z' ? static_cast<char>(character - 'A' + 'a') : character;
    }
    const auto found = std::find(names.begin(), names.end(), lower_case);
    if (found == names.end()) {
        std::string expected;
        for (const auto& name : names) {
            expected += (expected.empty() ? "" : ", ") + std::string{name};
        }
        in.fail("the header has " + quoted(word) + " as " + what + " (expected: " + expected + ")");
    }
    return static_cast<int>(found - names.begin());
}

/// Throws an exception if the input is not the text of a matrix.
/// @throws StreamError  if the next bytes belong to a compressed, encoded or archived file
void refuse_other_formats(input& in)
{
    constexpr size_type head_size = 262;  // contains the end of the mark of a tar archive
    const auto head = in.peek(head_size);
    for (const auto& format : other_formats) {
        if (head.size() > format.offset && head.substr(format.offset, format.bytes.size()) == format.bytes) {
            in.fail_at_next(std::string{"the input is "} + format.name + " (" + format.advice + ")");
        }
    }
}

text_header read_header(input& in)
{
    if (in.starts_with(utf8_byte_order_mark)) {
        in.skip(utf8_byte_order_mark.size());
    }
    if (!in.starts_with("%%")) {
        refuse_other_formats(in);
    }
    std::string_view line;
    if (!in.next_line(line)) {
        in.fail_at_next("the input is empty (expected: %%MatrixMarket matrix ...)");
    }
    using names = std::string_view;
    next_choice(in, line, "first word", std::array<names, 1>{"%%matrixmarket"});
    next_choice(in, line, "object", std::array<names, 1>{"matrix"});
    text_header header{};
    header.layout = next_choice(in, line, "format", std::array<names, 2>{"coordinate", "array"}) == 0
                        ? layout_type::coordinate
                        : layout_type::array;
    header.field = static_cast<field>(
        next_choice(in, line, "field", std::array<names, 4>{"real", "integer", "complex", "pattern"}));
    header.symmetry = static_cast<symmetry>(
        next_choice(in, line, "symmetry", std::array<names, 4>{"general", "symmetric", "skew-symmetric", "hermitian"}));
    if (const auto word = next_word(line); !word.empty() && word[0] != '%') {
        in.fail("the header goes on after the symmetry with " + quoted(word));
    }
    if (header.symmetry == symmetry::hermitian && header.field != field::complex) {
        header.symmetry = symmetry::symmetric;  // real numbers are equal to their conjugates
    }
    if (header.field == field::pattern && header.symmetry == symmetry::skew_symmetric) {
        in.fail("a pattern matrix cannot be skew-symmetric");
    }
    if (header.field == field::pattern && header.layout == layout_type::array) {
        in.fail("a pattern matrix cannot have the array format");
    }
    return header;
}

/// Returns true if a number is close to zero, for numbers that no floating-point type can
/// represent. The number consists of digits, a point, digits and an exponent.
bool is_tiny(std::string_view number)
{
    int64 magnitude = 0;  // 10^(magnitude - 1) <= |mantissa| < 10^magnitude
    bool after_point = false;
    bool significant = false;
    size_type i = 0;
    for (; i < number.size() && number[i] != 'e' && number[i] != 'E'; ++i) {
        after_point = after_point || number[i] == '.';
        significant = significant || ('1' <= number[i] && number[i] <= '9');
        if ('0' <= number[i] && number[i] <= '9') {
            magnitude += significant && !after_point;
            magnitude -= !significant && after_point;
        }
    }
    auto exponent = number.substr(std::min(i + 1, number.size()));
    const auto negative = !exponent.empty() && exponent[0] == '-';
    exponent.remove_prefix(!exponent.empty() && exponent[0] == '+');
    int64 value = 0;
    if (std::from_chars(exponent.data(), exponent.data() + exponent.size(), value).ec ==
        std::errc::result_out_of_range) {
        return negative;
    }
    return magnitude < -value;
}

template <typename ValueType>
std::string value_type_name()
{
    const auto real_name = sizeof(remove_complex<ValueType>) == sizeof(float) ? "float32" : "float64";
    return is_complex<ValueType>() ? std::string{"complex<"} + real_name + ">" : real_name;
}

template <typename IndexType>
void check_size(const input& in, uint64 size, const char* what)
{
    if (size > static_cast<uint64>(std::numeric_limits<IndexType>::max())) {
        in.fail(std::to_string(size) + " " + what + " are more than int" + std::to_string(8 * sizeof(IndexType)) +
                " can count");
    }
}

[[noreturn]] void fail_for_complex_into_real(const input& in, const std::string& value_type)
{
    in.fail("the values are complex, so they cannot be read as " + value_type);
}

/// Appends an entry. The expected number of entries may be wrong. Memory is therefore reserved for
/// at most four times the number of entries so far, or for 65536 entries.
template <typename ValueType, typename IndexType>
void append(std::vector<matrix_data_entry<ValueType, IndexType>>& entries,
            const matrix_data_entry<ValueType, IndexType>& entry, uint64 expected)
{
    constexpr uint64 first_size = 65536;
    const uint64 size = entries.size();
    if (size == entries.capacity()) {
        entries.reserve(std::max(2 * size, std::min(expected, std::max(4 * size, first_size))));
    }
    entries.push_back(entry);
}

template <typename ValueType, typename IndexType>
class text_reader {
public:
    using real_type = remove_complex<ValueType>;
    using data_type = matrix_data<ValueType, IndexType>;
    using content_type = detail::mtx_content<ValueType, IndexType>;

    explicit text_reader(input& in) : in_{in}, header_{read_header(in)}
    {
        if (header_.field == field::complex && !is_complex<ValueType>()) {
            fail_for_complex_into_real(in_, value_type_name<ValueType>());
        }
    }

    content_type read()
    {
        this->read_sizes();
        auto location_of_size = in_.location();
        const auto min_line_size = header_.field == field::pattern ? 4 : 2;  // "1 1" or "1" and the end of the line
        const auto max_lines = in_.estimate_rest() / min_line_size;
        const auto is_general = header_.symmetry == symmetry::general;
        if (header_.layout == layout_type::array) {
            const auto fits = data_.size[1] == 0 || data_.size[0] <= max_lines / data_.size[1];
            expected_entries_ = fits ? data_.size[0] * data_.size[1] : max_lines;
            this->read_array();
        } else {
            expected_entries_ = std::min<uint64>(num_entries_, max_lines) * (is_general ? 1 : 2);
            this->read_coordinates();
        }
        if (this->next_line()) {
            in_.fail(header_.layout == layout_type::array
                         ? this->array_is_full()
                         : "more entries than the " + std::to_string(num_entries_) + " announced");
        }
        sort_row_major(data_);
        return {std::move(data_),
                std::move(location_of_size),
                {!is_general, has_entry_below_diagonal_ && has_entry_above_diagonal_}};
    }

private:
    /// Moves to the next line that is neither blank nor a comment. Returns false at the end.
    bool next_line()
    {
        std::string_view line;
        while (in_.next_line(line)) {
            position_ = line.data();
            end_ = line.data() + line.size();
            this->skip_blanks();
            if (position_ == end_) {
                continue;
            }
            if (*position_ != '%') {
                return true;
            }
            this->skip_comment();
        }
        return false;
    }

    void skip_comment()
    {
        if (std::memchr(position_, '\0', end_ - position_)) {
            in_.fail("a NUL byte in a comment");
        }
        position_ = end_;
    }

    void skip_blanks()
    {
        while (position_ != end_ && is_blank(*position_)) {
            ++position_;
        }
    }

    /// Returns true at a blank, at a comment and at the end of the line.
    bool ends_word(const char* position) const { return position == end_ || is_blank(*position) || *position == '%'; }

    std::string_view word() const
    {
        auto end = position_;
        while (!this->ends_word(end)) {
            ++end;
        }
        return {position_, static_cast<size_type>(end - position_)};
    }

    /// Checks that only blanks and a comment follow. Other text may be a lost imaginary part.
    void expect_end_of_line()
    {
        this->skip_blanks();
        if (position_ == end_) {
            return;
        }
        if (*position_ != '%') {
            in_.fail(quoted(this->word()) + " is too much on this line");
        }
        this->skip_comment();
    }

    std::string array_is_full() const
    {
        const auto size = std::to_string(data_.size[0]) + " x " + std::to_string(data_.size[1]) + " matrix";
        const auto count = "more values than the " + std::to_string(num_entries_);
        switch (header_.symmetry) {
        case symmetry::general:
            return count + " of a " + size;
        case symmetry::skew_symmetric:
            return count + " below the diagonal of a " + size + " (a skew-symmetric array holds no others)";
        default:
            return count + " on and below the diagonal of a " + size + " (an array with symmetry holds no others)";
        }
    }

    /// Reads a nonnegative integer. Values that overflow become the largest value.
    bool parse_count(uint64& value)
    {
        this->skip_blanks();
        const auto [rest, error] = std::from_chars(position_, end_, value);
        if (error == std::errc::invalid_argument || !this->ends_word(rest)) {
            return false;
        }
        if (error == std::errc::result_out_of_range) {
            value = std::numeric_limits<uint64>::max();
        }
        position_ = rest;
        return true;
    }

    uint64 read_size(const char* what)
    {
        uint64 size{};
        if (!this->parse_count(size)) {
            const auto found = this->word();
            in_.fail(std::string{"the number of "} + what + " is " + (found.empty() ? "missing" : quoted(found)) +
                     " (expected: a whole number from 0)");
        }
        return size;
    }

    void read_sizes()
    {
        if (!this->next_line()) {
            in_.fail("the input ends before the line of sizes");
        }
        const auto num_rows = this->read_size("rows");
        const auto num_cols = this->read_size("columns");
        check_size<IndexType>(in_, num_rows, "rows");
        check_size<IndexType>(in_, num_cols, "columns");
        if (header_.layout == layout_type::coordinate) {
            num_entries_ = this->read_size("entries");
            check_size<int64>(in_, num_entries_, "entries");
        }
        this->expect_end_of_line();
        if (header_.symmetry != symmetry::general && num_rows != num_cols) {
            in_.fail(std::to_string(num_rows) + " x " + std::to_string(num_cols) +
                     ", but a matrix with symmetry is square");
        }
        data_.size = dim<2>{num_rows, num_cols};
    }

    void read_coordinates()
    {
        for (uint64 i = 0; i < num_entries_; ++i) {
            if (!this->next_line()) {
                in_.fail("the input ends after " + std::to_string(i) + " of " + std::to_string(num_entries_) +
                         " entries");
            }
            const auto row = this->read_index("row", data_.size[0]);
            const auto column = this->read_index("column", data_.size[1]);
            const auto value = header_.field == field::pattern ? one<ValueType>() : this->read_value();
            this->expect_end_of_line();
            this->add(row, column, value);
        }
    }

    void read_array()
    {
        const auto num_rows = static_cast<IndexType>(data_.size[0]);
        // An array without rows has no entries, whatever its number of columns is.
        const auto num_cols = num_rows == 0 ? IndexType{} : static_cast<IndexType>(data_.size[1]);
        for (IndexType column = 0; column < num_cols; ++column) {
            const auto first = header_.symmetry == symmetry::general          ? 0
                               : header_.symmetry == symmetry::skew_symmetric ? column + 1
                                                                              : column;
            for (auto row = static_cast<IndexType>(first); row < num_rows; ++row) {
                if (!this->next_line()) {
                    in_.fail("the input ends before the value of row " + std::to_string(row + 1) + ", column " +
                             std::to_string(column + 1));
                }
                const auto value = this->read_value();
                this->expect_end_of_line();
                this->add(row, column, value);
                ++num_entries_;
            }
        }
    }

    IndexType read_index(const char* what, size_type bound)
    {
        uint64 index{};
        if (!this->parse_count(index)) {
            const auto found = this->word();
            const auto is_negative = found.size() > 1 && found[0] == '-' &&
                                     std::all_of(found.begin() + 1, found.end(),
                                                 [](char character) { return '0' <= character && character <= '9'; });
            in_.fail(std::string{what} + " index " +
                     (found.empty() ? "missing"
                      : is_negative ? std::string{found} + " (indices start at 1)"
                                    : quoted(found) + " is not a whole number"));
        }
        if (index == 0) {
            in_.fail(std::string{what} + " index 0 (indices start at 1)");
        }
        if (index > bound) {
            in_.fail(std::string{what} + " index " + std::to_string(index) + " (the matrix has " +
                     std::to_string(bound) + " " + what + "s)");
        }
        return static_cast<IndexType>(index - 1);
    }

    ValueType read_value()
    {
        const auto value = this->read_real();
        if constexpr (is_complex<ValueType>()) {
            return {value, header_.field == field::complex ? this->read_real() : real_type{}};
        } else {
            return value;
        }
    }

    real_type read_real()
    {
        this->skip_blanks();
        auto begin = position_;
        if (begin != end_ && *begin == '+') {
            ++begin;
            if (begin != end_ && *begin == '-') {
                this->fail_at_value("is not a number");
            }
        }
        real_type value{};
        const auto [rest, error] = std::from_chars(begin, end_, value);
        if (error == std::errc::invalid_argument || !this->ends_word(rest)) {
            this->fail_at_value("is not a number");
        }
        if (error == std::errc::result_out_of_range) {
            const auto is_negative = *begin == '-';
            if (!is_tiny(std::string_view{begin, static_cast<size_type>(rest - begin)})) {
                this->fail_at_value("is too large for " + value_type_name<real_type>());
            }
            value = is_negative ? -real_type{} : real_type{};
        }
        if (header_.field == field::integer &&
            std::any_of(begin, rest, [](char c) { return c != '-' && !('0' <= c && c <= '9'); })) {
            this->fail_at_value("is not a whole number");
        }
        position_ = rest;
        return value;
    }

    [[noreturn]] void fail_at_value(const std::string& fault)
    {
        const auto found = this->word();
        in_.fail(found.empty() ? std::string{"the value is missing"} : "the value " + quoted(found) + " " + fault);
    }

    /// Adds the entry and, depending on the symmetry, its mirror image.
    void add(IndexType row, IndexType column, const ValueType& value)
    {
        append(data_.nonzeros, {row, column, value}, expected_entries_);
        if (header_.symmetry == symmetry::general) {
            return;
        }
        if (row != column) {
            (row > column ? has_entry_below_diagonal_ : has_entry_above_diagonal_) = true;
            const auto mirrored = header_.symmetry == symmetry::symmetric        ? value
                                  : header_.symmetry == symmetry::skew_symmetric ? -value
                                                                                 : spruce::conj(value);
            append(data_.nonzeros, {column, row, mirrored}, expected_entries_);
        } else if (header_.symmetry == symmetry::skew_symmetric && value != ValueType{}) {
            in_.fail("the diagonal of a skew-symmetric matrix is zero (row " + std::to_string(row + 1) + ")");
        } else if (header_.symmetry == symmetry::hermitian && spruce::imag(value) != real_type{}) {
            in_.fail("the diagonal of a hermitian matrix is real (row " + std::to_string(row + 1) + ")");
        }
    }

    input& in_;
    text_header header_;
    data_type data_;
    uint64 num_entries_{};       // given in the header of a coordinate file, computed for an array
    uint64 expected_entries_{};  // an estimate, with mirror images
    bool has_entry_below_diagonal_{};
    bool has_entry_above_diagonal_{};
    const char* position_{};
    const char* end_{};
};

/// Reads the records of a binary file whose numbers have the types FileValueType and FileIndexType.
template <typename FileValueType, typename FileIndexType, typename ValueType, typename IndexType>
void read_records(input& in, uint64 num_entries, matrix_data<ValueType, IndexType>& data)
{
    constexpr auto record_size = 2 * sizeof(FileIndexType) + sizeof(FileValueType);
    constexpr char zeros[record_size] = {};
    constexpr uint64 max_zero_records = 1 << 20;
    uint64 num_zero_records = 0;  // consecutive ones
    const auto expected_entries = std::min<uint64>(num_entries, in.estimate_rest() / record_size);
    for (uint64 i = 0; i < num_entries; ++i) {
        char record[record_size];
        if (in.read(record, record_size) != record_size) {
            in.fail_at_next("the input ends after " + std::to_string(i) + " of " + std::to_string(num_entries) +
                            " records");
        }
        in.add_record();
        num_zero_records = std::memcmp(record, zeros, record_size) == 0 ? num_zero_records + 1 : 0;
        if (num_zero_records > max_zero_records) {
            in.fail("more than " + std::to_string(max_zero_records) +
                    " records in a row consist of zero bytes, as in a file that was not written completely");
        }
        FileIndexType index[2];
        FileValueType value;
        std::memcpy(index, record, sizeof(index));
        std::memcpy(&value, record + sizeof(index), sizeof(value));
        for (const auto direction : {0, 1}) {
            const auto bound = data.size[direction];
            // A negative index is too large as an unsigned number.
            if (static_cast<uint64>(index[direction]) >= bound) {
                const std::string what = direction == 0 ? "row" : "column";
                in.fail(what + " index " + std::to_string(index[direction]) + " (the matrix has " +
                        std::to_string(bound) + " " + what + "s, counted from 0)");
            }
        }
        ValueType converted{};
        if constexpr (is_complex<ValueType>()) {
            using real_type = remove_complex<ValueType>;
            converted =
                ValueType{static_cast<real_type>(spruce::real(value)), static_cast<real_type>(spruce::imag(value))};
        } else {
            converted = static_cast<ValueType>(spruce::real(value));  // read_binary has already rejected complex values
        }
        if (is_finite(value) && !is_finite(converted)) {
            in.fail("the value is too large for " + value_type_name<ValueType>());
        }
        append(data.nonzeros, {static_cast<IndexType>(index[0]), static_cast<IndexType>(index[1]), converted},
               expected_entries);
    }
}

template <typename ValueType, typename IndexType>
detail::mtx_content<ValueType, IndexType> read_binary(input& in)
{
    in.count_records();  // the header is record 0
    auto location_of_size = in.location();
    char magic[8];
    uint64 sizes[3];
    if (!in.starts_with(binary_magic)) {
        refuse_other_formats(in);
        in.fail("the input does not start with GINKGO, so it is no binary matrix file");
    }
    if (in.read(magic, sizeof(magic)) != sizeof(magic) ||
        in.read(reinterpret_cast<char*>(sizes), sizeof(sizes)) != sizeof(sizes)) {
        in.fail("the input ends within the header of 32 bytes");
    }
    check_size<IndexType>(in, sizes[0], "rows");
    check_size<IndexType>(in, sizes[1], "columns");
    const auto value_letter = magic[6];
    const auto index_letter = magic[7];
    if ((value_letter == 'C' || value_letter == 'Z') && !is_complex<ValueType>()) {
        fail_for_complex_into_real(in, value_type_name<ValueType>());
    }
    matrix_data<ValueType, IndexType> data{dim<2>{sizes[0], sizes[1]}};
    const auto read_with = [&](auto file_value) {
        using file_value_type = decltype(file_value);
        if (index_letter == 'I') {
            read_records<file_value_type, int32>(in, sizes[2], data);
        } else if (index_letter == 'L') {
            read_records<file_value_type, int64>(in, sizes[2], data);
        } else {
            in.fail("the index type is " + quoted({&index_letter, 1}) + " (expected: I or L)");
        }
    };
    switch (value_letter) {
    case 'S':
        read_with(float{});
        break;
    case 'D':
        read_with(double{});
        break;
    case 'C':
        read_with(std::complex<float>{});
        break;
    case 'Z':
        read_with(std::complex<double>{});
        break;
    default:
        in.fail("the value type is " + quoted({&value_letter, 1}) + " (expected: S, D, C or Z)");
    }
    char extra;
    if (in.read(&extra, 1) != 0) {
        in.fail_at_next("more bytes than the " + std::to_string(sizes[2]) + " records announced");
    }
    sort_row_major(data);
    return {std::move(data), std::move(location_of_size), {}};
}

/// Reads a matrix in the given format.
/// @throws StreamError  if the input is invalid, or if memory does not suffice for its entries
template <typename ValueType, typename IndexType>
detail::mtx_content<ValueType, IndexType> read(input& in, detail::mtx_format format)
try {
    using detail::mtx_format;
    if (format == mtx_format::any && in.starts_with(gzip_magic)) {
        in.decompress();
    }
    if (format == mtx_format::binary || (format == mtx_format::any && in.starts_with(binary_magic))) {
        return read_binary<ValueType, IndexType>(in);
    }
    return text_reader<ValueType, IndexType>{in}.read();
} catch (const std::bad_alloc&) {
    in.fail("there is not enough memory for the entries");
} catch (const std::length_error&) {
    in.fail("there is not enough memory for the entries");
}

}  // namespace
}  // namespace mtx_io

namespace detail {

template <typename ValueType, typename IndexType>
mtx_content<ValueType, IndexType> read_content(std::istream& is, mtx_format format)
{
    constexpr const char* functions[] = {"read_raw", "read_binary_raw", "read_generic_raw"};
    mtx_io::input in{is, functions[static_cast<int>(format)], "<stream>"};
    return mtx_io::read<ValueType, IndexType>(in, format);
}

void make_in_proportion(const std::string& location, const dim<2>& size, size_type num_entries,
                        size_type bytes_per_entry, const std::function<void()>& make)
{
    constexpr size_type always_allowed = 64 << 20;
    constexpr size_type allowed_per_entry_byte = 1024;
    const auto fail = [&](const std::string& fault) {
        throw StreamError(__FILE__, __LINE__, "read", location + ": " + fault);
    };
    const auto shape =
        std::to_string(size[0]) + " x " + std::to_string(size[1]) + " with " + std::to_string(num_entries) + " entries";
    const auto not_made = [&](const std::exception& error) {
        return "no such matrix can be made of " + shape + ": " + error.what();
    };
    try {
        const allocation_limit limit{std::max(always_allowed, allowed_per_entry_byte * bytes_per_entry * num_entries)};
        make();
    } catch (const allocation_limit_exceeded& error) {
        fail(shape + " takes at least " + std::to_string(error.get_num_bytes() >> 20) +
             " MiB in this format, out of all proportion to its entries (a Coo takes memory for the entries only, a "
             "Csr also for the rows; if this format is what is meant, read matrix_data and give it to the matrix)");
    } catch (const AllocationError& error) {
        fail(not_made(error));
    } catch (const OverflowError& error) {
        fail(not_made(error));
    } catch (const std::bad_alloc& error) {
        fail(not_made(error));
    } catch (const std::length_error& error) {
        fail(not_made(error));
    }
}

}  // namespace detail

template <typename ValueType, typename IndexType>
matrix_data<ValueType, IndexType> read_raw(std::istream& is)
{
    return detail::read_content<ValueType, IndexType>(is, detail::mtx_format::text).data;
}

template <typename ValueType, typename IndexType>
matrix_data<ValueType, IndexType> read_binary_raw(std::istream& is)
{
    return detail::read_content<ValueType, IndexType>(is, detail::mtx_format::binary).data;
}

template <typename ValueType, typename IndexType>
matrix_data<ValueType, IndexType> read_generic_raw(std::istream& is)
{
    return detail::read_content<ValueType, IndexType>(is, detail::mtx_format::any).data;
}

template <typename ValueType, typename IndexType>
matrix_data<ValueType, IndexType> read_file(const std::string& path, mtx_storage* storage)
{
    std::ifstream is{path, std::ios_base::binary};
    if (!is) {
        throw StreamError(__FILE__, __LINE__, __func__, path + ": cannot be opened: " + std::strerror(errno));
    }
    mtx_io::input in{is, __func__, path};
    auto content = mtx_io::read<ValueType, IndexType>(in, detail::mtx_format::any);
    if (storage) {
        *storage = content.storage;
    }
    return std::move(content.data);
}

#define SPRUCE_DECLARE_READ_CONTENT(ValueType, IndexType) \
    detail::mtx_content<ValueType, IndexType> detail::read_content<ValueType, IndexType>(std::istream&, mtx_format)
SPRUCE_INSTANTIATE_FOR_EACH_VALUE_AND_INDEX_TYPE(SPRUCE_DECLARE_READ_CONTENT);
#define SPRUCE_DECLARE_READ_RAW(ValueType, IndexType) \
    matrix_data<ValueType, IndexType> read_raw<ValueType, IndexType>(std::istream&)
SPRUCE_INSTANTIATE_FOR_EACH_VALUE_AND_INDEX_TYPE(SPRUCE_DECLARE_READ_RAW);
#define SPRUCE_DECLARE_READ_BINARY_RAW(ValueType, IndexType) \
    matrix_data<ValueType, IndexType> read_binary_raw<ValueType, IndexType>(std::istream&)
SPRUCE_INSTANTIATE_FOR_EACH_VALUE_AND_INDEX_TYPE(SPRUCE_DECLARE_READ_BINARY_RAW);
#define SPRUCE_DECLARE_READ_GENERIC_RAW(ValueType, IndexType) \
    matrix_data<ValueType, IndexType> read_generic_raw<ValueType, IndexType>(std::istream&)
SPRUCE_INSTANTIATE_FOR_EACH_VALUE_AND_INDEX_TYPE(SPRUCE_DECLARE_READ_GENERIC_RAW);
#define SPRUCE_DECLARE_READ_FILE(ValueType, IndexType) \
    matrix_data<ValueType, IndexType> read_file<ValueType, IndexType>(const std::string&, mtx_storage*)
SPRUCE_INSTANTIATE_FOR_EACH_VALUE_AND_INDEX_TYPE(SPRUCE_DECLARE_READ_FILE);

}  // namespace spruce
