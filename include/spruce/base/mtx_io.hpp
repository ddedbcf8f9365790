// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <functional>
#include <iosfwd>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include <spruce/base/matrix_data.hpp>
#include <spruce/base/pointers.hpp>
#include <spruce/base/types.hpp>

namespace spruce {

class LinOp;

// What all functions that read have in common:
// - The result is sorted by row, then column. Zeros and duplicates of the file are kept, duplicates in file order.
// - Reading goes to the end of the stream.
// - Values may be infinite or not a number (inf, nan); validate() reports them, and solvers stop with not_finite. Values too
//   small for ValueType become zero.
// - A malformed input, a complex one for a real ValueType, a size beyond IndexType and a value too large for ValueType
//   throw StreamError with a message like "poisson.mtx:17: column index 0 (indices start at 1)"; a stream is called
//   "<stream>". An input that is compressed, archived or encoded in a way that the function does not read is named: xz, bzip2,
//   zip, zstd, tar, UTF-16 and others.
// - Memory grows with the entries that are really there, not with those that the header announces or with the size that
//   the file or stream reports. More entries than fit into memory throw StreamError.
//
// What the functions that make a matrix (read, read_binary, read_generic) have in common: the memory that the matrix takes,
// with what is allocated on the way, has to be in proportion to the entries. Its limit is 64 MiB or, if that is more,
// 1024 times the size of the entries as matrix_data (16 bytes each with double and int32). Beyond it, and where the memory
// cannot be had, they throw StreamError. The rule is the same for every format: rows of an Ell or slices of a Sellp that are
// padded to the longest one, large blocks of an Fbcsr, a Dense, or a Csr of a great many empty rows can exceed it. A Coo takes
// memory for the entries only. The limit does not apply to the member read of the matrix, so it can read matrices that are this large on purpose:
//     matrix->read(read_raw<ValueType, IndexType>(stream));

/// How a file stores a matrix, which the entries that were read do not show.
struct mtx_storage {
    /// Whether the header names a symmetry, so that each entry off the diagonal stands for two.
    bool names_symmetry{};
    /// Whether the header names a symmetry although entries on both sides of the diagonal are stored. If both triangles are complete, every
    /// entry off the diagonal is read twice: validate() counts duplicates.
    bool has_both_triangles{};
};

/// Reads the Matrix Market format: coordinate or array; real, integer, complex or pattern (ones); general, symmetric,
/// skew-symmetric or hermitian (either triangle; the other one is filled in; hermitian means symmetric unless the values
/// are complex). The diagonal of a skew-symmetric coordinate matrix may be stored if it is zero. A comment (%) may fill a
/// line or stand at the end of one; a byte order mark of UTF-8 is skipped. In time linear in the input, up to the sorting
/// of rows whose columns are out of order.
/// Source: Boisvert, Pozo, Remington, The Matrix Market Exchange Formats: Initial Design, NISTIR 5935, 1996.
template <typename ValueType = default_precision, typename IndexType = int32>
SPRUCE_EXPORT matrix_data<ValueType, IndexType> read_raw(std::istream& is);

/// Reads what write_binary_raw writes, with any of its value and index types on a machine of the same endianness.
/// @throws StreamError  also if more than 2^20 records in a row consist of zero bytes: they are a hole in the file
template <typename ValueType = default_precision, typename IndexType = int32>
SPRUCE_EXPORT matrix_data<ValueType, IndexType> read_binary_raw(std::istream& is);

/// Reads either format, plain or compressed by gzip, and tells them apart by the first bytes. Gzip data may consist of
/// several members, each padded with up to 64 MiB of zeros.
template <typename ValueType = default_precision, typename IndexType = int32>
SPRUCE_EXPORT matrix_data<ValueType, IndexType> read_generic_raw(std::istream& is);

/// Reads by read_generic_raw from the file of this name, whatever its ending.
/// @param storage  unless null, is told how the file stores the matrix
template <typename ValueType = default_precision, typename IndexType = int32>
SPRUCE_EXPORT matrix_data<ValueType, IndexType> read_file(const std::string& path, mtx_storage* storage = nullptr);

// What all functions that write have in common: an entry outside the matrix throws StreamError before anything is
// written, a failing stream or file throws StreamError. Everything written is read back bit by bit; only text keeps no
// more of a NaN than that and its sign.

/// Writes the Matrix Market format, symmetry general, with as many digits as reading back the same bits takes.
/// @param layout  coordinate: the entries in their order; array: all rows x columns values, duplicates added up
template <typename ValueType, typename IndexType>
SPRUCE_EXPORT void write_raw(std::ostream& os, const matrix_data<ValueType, IndexType>& data,
                             layout_type layout = layout_type::coordinate);

/// Writes 32 bytes of header: "GINKGO", a letter for the value type (S float, D double, C and Z their complex forms),
/// one for the index type (I int32, L int64), and rows, columns, entries as uint64; then for each entry row, column
/// (from 0) and value without padding. Numbers have the endianness of the machine.
template <typename ValueType, typename IndexType>
SPRUCE_EXPORT void write_binary_raw(std::ostream& os, const matrix_data<ValueType, IndexType>& data);

/// write_raw into the file of this name, compressed by gzip if that ends in ".gz".
template <typename ValueType, typename IndexType>
SPRUCE_EXPORT void write_file(const std::string& path, const matrix_data<ValueType, IndexType>& data,
                              layout_type layout = layout_type::coordinate);

/// write_binary_raw into the file of this name, compressed by gzip if that ends in ".gz".
template <typename ValueType, typename IndexType>
SPRUCE_EXPORT void write_binary_file(const std::string& path, const matrix_data<ValueType, IndexType>& data);

namespace detail {

template <typename MatrixType, typename = void>
struct mtx_layout_of : std::integral_constant<layout_type, layout_type::coordinate> {};
template <typename MatrixType>
struct mtx_layout_of<MatrixType, std::void_t<decltype(MatrixType::default_layout)>>
    : std::integral_constant<layout_type, MatrixType::default_layout> {};

/// The layout in which a matrix type is written: its member default_layout, or coordinate where there is none.
template <typename MatrixType>
inline constexpr layout_type mtx_layout = mtx_layout_of<std::decay_t<MatrixType>>::value;

template <typename MatrixPtrType>
using pointed_matrix = std::decay_t<decltype(*std::declval<MatrixPtrType&>())>;

template <typename MatrixType>
using own_matrix_data = matrix_data<typename MatrixType::value_type, typename MatrixType::index_type>;

/// Void for matrix types that are known to write triples, no type for others.
template <typename MatrixPtrType, typename MatrixType = pointed_matrix<MatrixPtrType>>
using if_writes_matrix_data =
    std::void_t<decltype(std::declval<const MatrixType&>().write(std::declval<own_matrix_data<MatrixType>&>()))>;

/// @param layout  null: that of the matrix's type
SPRUCE_EXPORT void write_lin_op(std::ostream& os, const LinOp* matrix, const layout_type* layout);

template <typename MatrixPtrType>
auto to_matrix_data(MatrixPtrType&& matrix)
{
    require_pointers("write (the matrix)", matrix);
    own_matrix_data<pointed_matrix<MatrixPtrType>> data;
    matrix->write(data);
    return data;
}

enum class mtx_format { text, binary, any };

/// What was read, and the place where the input announces its size: "<stream>:2".
template <typename ValueType, typename IndexType>
struct mtx_content {
    matrix_data<ValueType, IndexType> data;
    std::string place_of_size;
    mtx_storage storage;
};

template <typename ValueType, typename IndexType>
SPRUCE_EXPORT mtx_content<ValueType, IndexType> read_content(std::istream& is, mtx_format format);

/// Calls make, which creates a matrix of this size and these entries.
/// @throws StreamError  if that takes memory out of proportion to the entries, or more than there is
SPRUCE_EXPORT void make_in_proportion(const std::string& place, const dim<2>& size, size_type num_entries,
                                      size_type bytes_per_entry, const std::function<void()>& make);

template <typename MatrixType, typename... Args>
std::unique_ptr<MatrixType> read_matrix(std::istream& is, mtx_format format, Args&&... args)
{
    const auto content = read_content<typename MatrixType::value_type, typename MatrixType::index_type>(is, format);
    const auto& data = content.data;
    std::unique_ptr<MatrixType> matrix;
    make_in_proportion(content.place_of_size, data.size, data.nonzeros.size(), sizeof(data.nonzeros[0]), [&] {
        matrix = MatrixType::create(std::forward<Args>(args)...);
        matrix->read(data);
    });
    return matrix;
}

}  // namespace detail

/// Creates a MatrixType from args (the executor first) and fills it with what read_raw gets from the stream.
template <typename MatrixType, typename StreamType, typename... Args>
std::unique_ptr<MatrixType> read(StreamType&& is, Args&&... args)
{
    return detail::read_matrix<MatrixType>(is, detail::mtx_format::text, std::forward<Args>(args)...);
}

/// As read, by read_binary_raw.
template <typename MatrixType, typename StreamType, typename... Args>
std::unique_ptr<MatrixType> read_binary(StreamType&& is, Args&&... args)
{
    return detail::read_matrix<MatrixType>(is, detail::mtx_format::binary, std::forward<Args>(args)...);
}

/// As read, by read_generic_raw.
template <typename MatrixType, typename StreamType, typename... Args>
std::unique_ptr<MatrixType> read_generic(StreamType&& is, Args&&... args)
{
    return detail::read_matrix<MatrixType>(is, detail::mtx_format::any, std::forward<Args>(args)...);
}

/// Writes the matrix by write_raw.
/// @param matrix  a plain or smart pointer
template <typename StreamType, typename MatrixPtrType, typename = detail::if_writes_matrix_data<MatrixPtrType>>
void write(StreamType&& os, MatrixPtrType&& matrix,
           layout_type layout = detail::mtx_layout<detail::pointed_matrix<MatrixPtrType>>)
{
    write_raw(os, detail::to_matrix_data(matrix), layout);
}

/// Writes a matrix of which only LinOp is known, as the function for its own type does.
/// @throws NotSupported  if the operator is none that writes triples (WritableToMatrixData)
template <typename StreamType>
void write(StreamType&& os, ptr_param<const LinOp> matrix)
{
    detail::write_lin_op(os, matrix.get(), nullptr);
}
template <typename StreamType>
void write(StreamType&& os, ptr_param<const LinOp> matrix, layout_type layout)
{
    detail::write_lin_op(os, matrix.get(), &layout);
}

/// Writes the matrix by write_binary_raw.
template <typename StreamType, typename MatrixPtrType>
void write_binary(StreamType&& os, MatrixPtrType&& matrix)
{
    write_binary_raw(os, detail::to_matrix_data(matrix));
}

}  // namespace spruce
