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

// All functions that read have the following properties.
// - The result is sorted by row, then column. Zeros and duplicates of the file are kept, duplicates
//   in the order of the file.
// - Reading continues to the end of the stream.
// - Values may be infinite or not a number (inf, nan). validate() reports them, and solvers stop
//   with not_finite. Values too small for ValueType become zero.
// - StreamError is thrown for malformed input, complex input for a real ValueType, a size beyond
//   IndexType, and a value too large for ValueType. A message reads "poisson.mtx:17: column index 0
//   (indices start at 1)"; a stream is called "<stream>". If the input is compressed, archived or
//   encoded in a way that the function does not read, the message names the format: xz, bzip2, zip,
//   zstd, tar, UTF-16 and others.
// - Memory grows with the entries that are read. It does not depend on the number in the header or
//   on the size that the file or stream reports. More entries than fit into memory throw
//   StreamError.
//
// The functions that create a matrix (read, read_binary, read_generic) limit its memory. The memory
// of the matrix, with temporary memory, may be at most 64 MiB or 1024 times the size of the entries
// as matrix_data, whichever is more. An entry takes 16 bytes with double and int32. If the limit is
// exceeded or the memory cannot be allocated, they throw StreamError. The limit is the same for all
// formats. It can be exceeded by rows of an Ell or slices of a Sellp that are padded to the longest
// row, by large blocks of an Fbcsr, by a Dense, or by a Csr with very many empty rows. A Coo takes
// memory for the entries only. The limit does not apply to the member function read() of a matrix,
// which can read such matrices:
//     matrix->read(read_raw<ValueType, IndexType>(stream));

/// Describes how a file stores a matrix. The entries that were read do not show it.
struct mtx_storage {
    /// True if the header names a symmetry, so that each entry off the diagonal represents two.
    bool names_symmetry{};
    /// True if the header names a symmetry, but entries on both sides of the diagonal are stored.
    /// If both triangles are complete, every entry off the diagonal is read twice, and validate()
    /// counts duplicates.
    bool has_both_triangles{};
};

/// Reads the Matrix Market format: coordinate or array; real, integer, complex or pattern (ones);
/// general, symmetric, skew-symmetric or hermitian. A symmetric file stores either triangle, and
/// the other one is filled in. Hermitian means symmetric unless the values are complex. The
/// diagonal of a skew-symmetric coordinate matrix may be stored if it is zero. A comment (%) may
/// fill a line or follow the data of a line. A byte order mark of UTF-8 is skipped. The time is
/// linear in the size of the input, except for sorting rows whose columns are out of order.
/// Source: Boisvert, Pozo, Remington, The Matrix Market Exchange Formats: Initial Design, NISTIR
/// 5935, 1996.
template <typename ValueType = default_precision, typename IndexType = int32>
SPRUCE_EXPORT matrix_data<ValueType, IndexType> read_raw(std::istream& is);

/// Reads the format of write_binary_raw(), with any of its value and index types. The file must
/// have the endianness of the machine.
/// @throws StreamError  also if more than 2^20 consecutive records consist of zero bytes, which are
///     a hole in the file
template <typename ValueType = default_precision, typename IndexType = int32>
SPRUCE_EXPORT matrix_data<ValueType, IndexType> read_binary_raw(std::istream& is);

/// Reads the text or the binary format, plain or compressed by gzip. The first bytes identify the
/// format. Gzip data may consist of several members, each padded with up to 64 MiB of zeros.
template <typename ValueType = default_precision, typename IndexType = int32>
SPRUCE_EXPORT matrix_data<ValueType, IndexType> read_generic_raw(std::istream& is);

/// Reads a file by read_generic_raw(). The ending of its name does not matter.
/// @param storage  unless null, receives how the file stores the matrix
template <typename ValueType = default_precision, typename IndexType = int32>
SPRUCE_EXPORT matrix_data<ValueType, IndexType> read_file(const std::string& path, mtx_storage* storage = nullptr);

// All functions that write throw StreamError in two cases: if an entry lies outside the matrix,
// before anything is written, and if the stream or file fails. Reading restores every bit of what
// was written. Only the text format reduces a NaN to NaN with its sign.

/// Writes the Matrix Market format with symmetry general. Values have as many digits as are needed
/// to restore the same bits.
/// @param layout  coordinate: the entries in their order; array: all rows x columns values, with
///     duplicates added up
template <typename ValueType, typename IndexType>
SPRUCE_EXPORT void write_raw(std::ostream& os, const matrix_data<ValueType, IndexType>& data,
                             layout_type layout = layout_type::coordinate);

/// Writes a binary format. The header has 32 bytes: "GINKGO", a letter for the value type (S float,
/// D double, C complex float, Z complex double), a letter for the index type (I int32, L int64),
/// and the numbers of rows, columns and entries as uint64. Row and column (from 0) and value of
/// each entry follow without padding. Numbers have the endianness of the machine.
template <typename ValueType, typename IndexType>
SPRUCE_EXPORT void write_binary_raw(std::ostream& os, const matrix_data<ValueType, IndexType>& data);

/// Writes a file by write_raw(), compressed by gzip if the name ends in ".gz".
template <typename ValueType, typename IndexType>
SPRUCE_EXPORT void write_file(const std::string& path, const matrix_data<ValueType, IndexType>& data,
                              layout_type layout = layout_type::coordinate);

/// Writes a file by write_binary_raw(), compressed by gzip if the name ends in ".gz".
template <typename ValueType, typename IndexType>
SPRUCE_EXPORT void write_binary_file(const std::string& path, const matrix_data<ValueType, IndexType>& data);

namespace detail {

template <typename MatrixType, typename = void>
struct mtx_layout_of : std::integral_constant<layout_type, layout_type::coordinate> {};
template <typename MatrixType>
struct mtx_layout_of<MatrixType, std::void_t<decltype(MatrixType::default_layout)>>
    : std::integral_constant<layout_type, MatrixType::default_layout> {};

/// The layout in which a matrix type is written: its member default_layout, or coordinate if it has
/// none.
template <typename MatrixType>
inline constexpr layout_type mtx_layout = mtx_layout_of<std::decay_t<MatrixType>>::value;

template <typename MatrixPtrType>
using pointed_matrix = std::decay_t<decltype(*std::declval<MatrixPtrType&>())>;

template <typename MatrixType>
using own_matrix_data = matrix_data<typename MatrixType::value_type, typename MatrixType::index_type>;

/// Names void for matrix types that write triples, and is undefined for others.
template <typename MatrixPtrType, typename MatrixType = pointed_matrix<MatrixPtrType>>
using if_writes_matrix_data =
    std::void_t<decltype(std::declval<const MatrixType&>().write(std::declval<own_matrix_data<MatrixType>&>()))>;

/// Writes a matrix by write_raw().
/// @param layout  null: the layout of the type of the matrix
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

/// Holds the data that were read, and the position at which the input states its size:
/// "<stream>:2".
template <typename ValueType, typename IndexType>
struct mtx_content {
    matrix_data<ValueType, IndexType> data;
    std::string location_of_size;
    mtx_storage storage;
};

template <typename ValueType, typename IndexType>
SPRUCE_EXPORT mtx_content<ValueType, IndexType> read_content(std::istream& is, mtx_format format);

/// Calls make, which creates a matrix of this size and these entries.
/// @throws StreamError  if make takes memory out of proportion to the entries, or more than is
///     available
SPRUCE_EXPORT void make_in_proportion(const std::string& location, const dim<2>& size, size_type num_entries,
                                      size_type bytes_per_entry, const std::function<void()>& make);

template <typename MatrixType, typename... Args>
std::unique_ptr<MatrixType> read_matrix(std::istream& is, mtx_format format, Args&&... args)
{
    const auto content = read_content<typename MatrixType::value_type, typename MatrixType::index_type>(is, format);
    const auto& data = content.data;
    std::unique_ptr<MatrixType> matrix;
    make_in_proportion(content.location_of_size, data.size, data.nonzeros.size(), sizeof(data.nonzeros[0]), [&] {
        matrix = MatrixType::create(std::forward<Args>(args)...);
        matrix->read(data);
    });
    return matrix;
}

}  // namespace detail

/// Creates a MatrixType from args (the executor first) and fills it with the data that read_raw()
/// reads from the stream.
template <typename MatrixType, typename StreamType, typename... Args>
std::unique_ptr<MatrixType> read(StreamType&& is, Args&&... args)
{
    return detail::read_matrix<MatrixType>(is, detail::mtx_format::text, std::forward<Args>(args)...);
}

/// Creates a MatrixType from args (the executor first) and fills it with the data that
/// read_binary_raw() reads from the stream.
template <typename MatrixType, typename StreamType, typename... Args>
std::unique_ptr<MatrixType> read_binary(StreamType&& is, Args&&... args)
{
    return detail::read_matrix<MatrixType>(is, detail::mtx_format::binary, std::forward<Args>(args)...);
}

/// Creates a MatrixType from args (the executor first) and fills it with the data that
/// read_generic_raw() reads from the stream.
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

/// Writes a matrix that is given as a LinOp. The output is that of the function for its own type.
/// @throws NotSupported  if the operator does not write triples (WritableToMatrixData)
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
