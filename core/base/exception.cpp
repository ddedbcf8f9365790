// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/base/exception.hpp>

namespace spruce {
namespace {

std::string shape(const std::string& name, size_type rows, size_type cols)
{
    return name + " is " + std::to_string(rows) + " x " + std::to_string(cols);
}

std::string with_clarification(const std::string& text, const std::string& clarification)
{
    return clarification.empty() ? text : text + ": " + clarification;
}

}  // namespace

Error::Error(const std::string& file, int line, const std::string& what)
    : what_(file + ":" + std::to_string(line) + ": " + what)
{}
Error::~Error() = default;

NotImplemented::NotImplemented(const std::string& file, int line, const std::string& func)
    : Error(file, line, func + " is not implemented")
{}
NotImplemented::~NotImplemented() = default;

NotCompiled::NotCompiled(const std::string& file, int line, const std::string& func, const std::string& module)
    : Error(file, line, func + ": " + module + " is not available")
{}
NotCompiled::~NotCompiled() = default;

NotSupported::NotSupported(const std::string& file, int line, const std::string& func, const std::string& obj_type)
    : Error(file, line, func + " is not supported for " + obj_type)
{}
NotSupported::~NotSupported() = default;

DimensionMismatch::DimensionMismatch(const std::string& file, int line, const std::string& func,
                                     const std::string& first_name, size_type first_rows, size_type first_cols,
                                     const std::string& second_name, size_type second_rows, size_type second_cols,
                                     const std::string& clarification)
    : Error(file, line,
            with_clarification(func + ": " + shape(first_name, first_rows, first_cols) + ", but " +
                                   shape(second_name, second_rows, second_cols),
                               clarification))
{}
DimensionMismatch::~DimensionMismatch() = default;

BadDimension::BadDimension(const std::string& file, int line, const std::string& func, const std::string& op_name,
                           size_type op_num_rows, size_type op_num_cols, const std::string& clarification)
    : Error(file, line, with_clarification(func + ": " + shape(op_name, op_num_rows, op_num_cols), clarification))
{}
BadDimension::~BadDimension() = default;

ValueMismatch::ValueMismatch(const std::string& file, int line, const std::string& func, size_type val1, size_type val2,
                             const std::string& clarification)
    : Error(file, line,
            with_clarification(func + ": " + std::to_string(val1) + " and " + std::to_string(val2) + " differ",
                               clarification))
{}
ValueMismatch::~ValueMismatch() = default;

AllocationError::AllocationError(const std::string& file, int line, const std::string& device, size_type bytes)
    : Error(file, line, device + ": could not allocate " + std::to_string(bytes) + " bytes")
{}
AllocationError::~AllocationError() = default;

OutOfBoundsError::OutOfBoundsError(const std::string& file, int line, size_type index, size_type bound)
    : Error(file, line, "index " + std::to_string(index) + " is not below the bound " + std::to_string(bound))
{}
OutOfBoundsError::OutOfBoundsError(const std::string& file, int line, const std::string& message)
    : Error(file, line, message)
{}
OutOfBoundsError::~OutOfBoundsError() = default;

OverflowError::OverflowError(const std::string& file, int line, const std::string& index_type)
    : Error(file, line, "a size does not fit the index type " + index_type)
{}
OverflowError::~OverflowError() = default;

StreamError::StreamError(const std::string& file, int line, const std::string& func, const std::string& message)
    : Error(file, line, func + ": " + message)
{}
StreamError::~StreamError() = default;

MetisError::MetisError(const std::string& file, int line, const std::string& func, const std::string& message)
    : Error(file, line, func + ": " + message)
{}
MetisError::~MetisError() = default;

KernelNotFound::KernelNotFound(const std::string& file, int line, const std::string& func)
    : Error(file, line, func + ": no suitable kernel was found")
{}
KernelNotFound::~KernelNotFound() = default;

UnsupportedMatrixProperty::UnsupportedMatrixProperty(const std::string& file, int line, const std::string& message)
    : Error(file, line, message)
{}
UnsupportedMatrixProperty::~UnsupportedMatrixProperty() = default;

InvalidStateError::InvalidStateError(const std::string& file, int line, const std::string& func,
                                     const std::string& clarification)
    : Error(file, line, func + ": " + clarification)
{}
InvalidStateError::~InvalidStateError() = default;

#define SPRUCE_DEFINE_VENDOR_ERROR(_name)                                                                              \
    _name::_name(const std::string& file, int line, const std::string& func, int64 error_code,                         \
                 const std::string& description)                                                                       \
        : Error(file, line, with_clarification(func + ": " #_name " code " + std::to_string(error_code), description)) \
    {}                                                                                                                 \
    _name::~_name() = default
SPRUCE_DEFINE_VENDOR_ERROR(CudaError);
SPRUCE_DEFINE_VENDOR_ERROR(CublasError);
SPRUCE_DEFINE_VENDOR_ERROR(CusparseError);
SPRUCE_DEFINE_VENDOR_ERROR(HipError);
SPRUCE_DEFINE_VENDOR_ERROR(HipblasError);
SPRUCE_DEFINE_VENDOR_ERROR(HipsparseError);
SPRUCE_DEFINE_VENDOR_ERROR(CurandError);
SPRUCE_DEFINE_VENDOR_ERROR(CufftError);
SPRUCE_DEFINE_VENDOR_ERROR(HiprandError);
SPRUCE_DEFINE_VENDOR_ERROR(HipfftError);
SPRUCE_DEFINE_VENDOR_ERROR(MpiError);

}  // namespace spruce
