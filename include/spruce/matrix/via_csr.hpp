// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <memory>

#include <spruce/base/lin_op.hpp>
#include <spruce/matrix/formats.hpp>
#include <spruce/matrix/permutation.hpp>

namespace spruce {

template <typename IndexType>
class index_set;

namespace matrix {

// Bases of formats that convert from and to Csr. Their operations use a Csr on the executor of the
// matrix, which needs memory for it and time for both conversions. If an operation fails, matrix
// and result do not change. Results are bitwise repeatable.

/// Reads and writes triples of row, column and value.
template <typename ValueType, typename IndexType>
class SPRUCE_EXPORT DataViaCsr : public ReadableFromMatrixData<ValueType, IndexType>,
                                 public WritableToMatrixData<ValueType, IndexType> {
public:
    using ReadableFromMatrixData<ValueType, IndexType>::read;
    void read(const matrix_data<ValueType, IndexType>& data) override;
    void read(const device_matrix_data<ValueType, IndexType>& data) override;
    void read(device_matrix_data<ValueType, IndexType>&& data) override;
    void write(matrix_data<ValueType, IndexType>& data) const override;
};

/// Converts to one type.
template <typename ValueType, typename IndexType, typename ResultType>
class SPRUCE_EXPORT ConvertibleViaCsr : public ConvertibleTo<ResultType> {
public:
    using ConvertibleTo<ResultType>::convert_to;
    void convert_to(ResultType* result) const override;
};

/// Converts to several types.
template <typename ValueType, typename IndexType, typename... ResultTypes>
class ConvertibleToEachViaCsr : public ConvertibleViaCsr<ValueType, IndexType, ResultTypes>... {
public:
    using ConvertibleViaCsr<ValueType, IndexType, ResultTypes>::convert_to...;
    using ConvertibleViaCsr<ValueType, IndexType, ResultTypes>::move_to...;
};

/// Transposes. The result has the format and parameters of the matrix.
template <typename Concrete>
class SPRUCE_EXPORT TransposableViaCsr : public Transposable {
public:
    std::unique_ptr<LinOp> transpose() const override;
    std::unique_ptr<LinOp> conj_transpose() const override;
};

/// Permutes and extracts submatrices like the functions of the same names of Csr. The result has
/// the format and parameters of the matrix.
template <typename Concrete, typename ValueType, typename IndexType>
class SPRUCE_EXPORT PermutableViaCsr : public Permutable<IndexType> {
public:
    std::unique_ptr<LinOp> permute(const array<IndexType>* permutation) const override;
    std::unique_ptr<LinOp> inverse_permute(const array<IndexType>* permutation) const override;
    std::unique_ptr<LinOp> row_permute(const array<IndexType>* permutation) const override;
    std::unique_ptr<LinOp> column_permute(const array<IndexType>* permutation) const override;
    std::unique_ptr<LinOp> inverse_row_permute(const array<IndexType>* permutation) const override;
    std::unique_ptr<LinOp> inverse_column_permute(const array<IndexType>* permutation) const override;

    std::unique_ptr<Concrete> permute(ptr_param<const Permutation<IndexType>> permutation,
                                      permute_mode mode = permute_mode::symmetric) const;
    std::unique_ptr<Concrete> permute(ptr_param<const Permutation<IndexType>> row_permutation,
                                      ptr_param<const Permutation<IndexType>> column_permutation,
                                      bool invert = false) const;

    std::unique_ptr<Concrete> create_submatrix(const span& rows, const span& columns) const;
    std::unique_ptr<Concrete> create_submatrix(const index_set<IndexType>& rows,
                                               const index_set<IndexType>& columns) const;
};

/// Permutes and scales. Only formats with separate values for their entries have this base.
template <typename Concrete, typename ValueType, typename IndexType>
class SPRUCE_EXPORT ScalePermutableViaCsr : public PermutableViaCsr<Concrete, ValueType, IndexType> {
public:
    std::unique_ptr<Concrete> scale_permute(ptr_param<const ScaledPermutation<ValueType, IndexType>> permutation,
                                            permute_mode mode = permute_mode::symmetric) const;
    std::unique_ptr<Concrete> scale_permute(ptr_param<const ScaledPermutation<ValueType, IndexType>> row_permutation,
                                            ptr_param<const ScaledPermutation<ValueType, IndexType>> column_permutation,
                                            bool invert = false) const;
};

/// Sorts the entries of each row.
template <typename Concrete>
class SPRUCE_EXPORT SortableViaCsr {
public:
    /// Sorts the entries of each row by column. The sort is stable. It works in the memory of the
    /// matrix, except for a Hybrid: its strategy splits the sorted rows again, into new parts.
    void sort_by_column_index();
    bool is_sorted_by_column_index() const;
};

}  // namespace matrix
}  // namespace spruce
