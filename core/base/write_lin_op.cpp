// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/base/mtx_io.hpp>

#include <complex>
#include <typeinfo>

#include <spruce/base/lin_op.hpp>
#include <spruce/base/name_demangling.hpp>
#include <spruce/matrix/dense.hpp>

namespace spruce::detail {
namespace {

/// Writes the matrix if it supports these types. Returns true if it does.
template <typename ValueType, typename IndexType>
bool try_write(std::ostream& os, const LinOp* matrix, const layout_type* layout)
{
    const auto writable = dynamic_cast<const WritableToMatrixData<ValueType, IndexType>*>(matrix);
    if (!writable) {
        return false;
    }
    matrix_data<ValueType, IndexType> data;
    writable->write(data);
    const auto is_dense = dynamic_cast<const matrix::Dense<ValueType>*>(matrix) != nullptr;
    write_raw(os, data, layout ? *layout : is_dense ? mtx_layout<matrix::Dense<ValueType>> : layout_type::coordinate);
    return true;
}

/// Writes the matrix with any of these value types. Returns true if one is supported. Dense
/// supports both index types, of which only the larger one can represent every size.
template <typename... ValueType>
bool try_write_any(std::ostream& os, const LinOp* matrix, const layout_type* layout)
{
    return ((try_write<ValueType, int64>(os, matrix, layout) || try_write<ValueType, int32>(os, matrix, layout)) ||
            ...);
}

}  // namespace

void write_lin_op(std::ostream& os, const LinOp* matrix, const layout_type* layout)
{
    if (!matrix) {
        throw_null_pointer("write (the matrix)");
    }
    if (!try_write_any<double, float, std::complex<double>, std::complex<float>>(os, matrix, layout)) {
        throw NotSupported(__FILE__, __LINE__, "write",
                           "an object of type " + name_demangling::get_type_name(typeid(*matrix)) +
                               ", which is no WritableToMatrixData");
    }
}

}  // namespace spruce::detail
