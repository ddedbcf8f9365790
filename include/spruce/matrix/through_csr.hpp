// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/base/lin_op.hpp>
#include <spruce/matrix/formats.hpp>

namespace spruce {
namespace matrix {

/// Reading and writing triples by way of a Csr on the matrix's executor, for formats that convert from and to Csr. What goes
/// wrong leaves the matrix as it was.
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

}  // namespace matrix
}  // namespace spruce
