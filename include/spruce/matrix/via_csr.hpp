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

// What formats have that convert from and to Csr: by way of a Csr on the matrix's executor, which takes memory for one and the
// time of both conversions besides. What goes wrong leaves matrix and result as they were. Bitwise repeatable.

/// Reading and writing triples.
template <typename ValueType, typename IndexType>
class SPRUCE_EXPORT DataThroughCsr : public ReadableFromMatrixData<ValueType, IndexType>,
                                     public WritableToMatrixData<ValueType, IndexType> {
public:
    using ReadableFromMatrixData<ValueType, IndexType>::read;
    void read(const matrix_data<ValueType, IndexType>& data) override;
    void read(const device_matrix_data<ValueType, IndexType>& data) override;
    void read(device_matrix_data<ValueType, IndexType>&& data) override;
    void write(matrix_data<ValueType, IndexType>& data) const override;
};

/// Conversion to one type.
template <typename ValueType, typename IndexType, typename ResultType>
class SPRUCE_EXPORT ConvertibleThroughCsr : public ConvertibleTo<ResultType> {
public:
    using ConvertibleTo<ResultType>::convert_to;
    void convert_to(ResultType* result) const override;
};

/// Conversion to several types.
template <typename ValueType, typename IndexType, typename... ResultTypes>
class ConvertibleToEachThroughCsr : public ConvertibleThroughCsr<ValueType, IndexType, ResultTypes>... {
public:
    using ConvertibleThroughCsr<ValueType, IndexType, ResultTypes>::convert_to...;
    using ConvertibleThroughCsr<ValueType, IndexType, ResultTypes>::move_to...;
};

/// Transposes. The result has the same format and parameters.
template <typename Concrete>
class SPRUCE_EXPORT TransposableThroughCsr : public Transposable {
public:
    std::unique_ptr<LinOp> transpose() const override;
    std::unique_ptr<LinOp> conj_transpose() const override;
};

/// Permutations and sub-matrices: what the methods of the same names of Csr give, in the same format and parameters.
template <typename Concrete, typename ValueType, typename IndexType>
class SPRUCE_EXPORT PermutableThroughCsr : public Permutable<IndexType> {
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

/// Permutations that scale as well, for formats whose entries have values of their own.
template <typename Concrete, typename ValueType, typename IndexType>
class SPRUCE_EXPORT ScalePermutableThroughCsr : public PermutableThroughCsr<Concrete, ValueType, IndexType> {
public:
    std::unique_ptr<Concrete> scale_permute(ptr_param<const ScaledPermutation<ValueType, IndexType>> permutation,
                                            permute_mode mode = permute_mode::symmetric) const;
    std::unique_ptr<Concrete> scale_permute(ptr_param<const ScaledPermutation<ValueType, IndexType>> row_permutation,
                                            ptr_param<const ScaledPermutation<ValueType, IndexType>> column_permutation,
                                            bool invert = false) const;
};

/// The order of the entries of each row.
template <typename Concrete>
class SPRUCE_EXPORT SortableThroughCsr {
public:
    /// Sorts each row by column; what is in order already stays as it is. Entries of one place keep their order. Works in
    /// the matrix's own memory, but for a Hybrid: its strategy splits the sorted rows anew, into new parts.
    void sort_by_column_index();
    bool is_sorted_by_column_index() const;
};

}  // namespace matrix
}  // namespace spruce
