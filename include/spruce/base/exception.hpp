// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <exception>
#include <string>

#include <spruce/base/dim.hpp>
#include <spruce/base/types.hpp>

namespace spruce {

/// Base of everything that Spruce throws. what() reads "file:line: message".
class SPRUCE_EXPORT Error : public std::exception {
public:
    Error(const std::string& file, int line, const std::string& what);
    Error(const Error&) = default;
    Error& operator=(const Error&) = default;
    ~Error() override;

    const char* what() const noexcept override { return what_.c_str(); }

private:
    std::string what_;
};

// Each class has an exported, out-of-line destructor: so one copy of its type information exists
// and it can be caught on the other side of a library border.

/// The kernel or function exists, but not for this executor and these types.
class SPRUCE_EXPORT NotImplemented : public Error {
public:
    NotImplemented(const std::string& file, int line, const std::string& func);
    ~NotImplemented() override;
};

/// The module was not built, or cannot be used on this machine; the message says what was tried.
class SPRUCE_EXPORT NotCompiled : public Error {
public:
    NotCompiled(const std::string& file, int line, const std::string& func, const std::string& module);
    ~NotCompiled() override;
};

/// The operation is not defined for an object of this type.
class SPRUCE_EXPORT NotSupported : public Error {
public:
    NotSupported(const std::string& file, int line, const std::string& func, const std::string& obj_type);
    ~NotSupported() override;
};

/// The sizes of two operands do not fit together.
class SPRUCE_EXPORT DimensionMismatch : public Error {
public:
    DimensionMismatch(const std::string& file, int line, const std::string& func, const std::string& first_name,
                      size_type first_rows, size_type first_cols, const std::string& second_name, size_type second_rows,
                      size_type second_cols, const std::string& clarification);
    ~DimensionMismatch() override;
};

/// The size of one operand is not acceptable.
class SPRUCE_EXPORT BadDimension : public Error {
public:
    BadDimension(const std::string& file, int line, const std::string& func, const std::string& op_name,
                 size_type op_num_rows, size_type op_num_cols, const std::string& clarification);
    ~BadDimension() override;
};

/// Two numbers that have to agree do not.
class SPRUCE_EXPORT ValueMismatch : public Error {
public:
    ValueMismatch(const std::string& file, int line, const std::string& func, size_type val1, size_type val2,
                  const std::string& clarification);
    ~ValueMismatch() override;
};

/// Memory could not be had.
class SPRUCE_EXPORT AllocationError : public Error {
public:
    AllocationError(const std::string& file, int line, const std::string& device, size_type bytes);
    ~AllocationError() override;
};

/// An index is beyond what it refers to.
class SPRUCE_EXPORT OutOfBoundsError : public Error {
public:
    OutOfBoundsError(const std::string& file, int line, size_type index, size_type bound);
    OutOfBoundsError(const std::string& file, int line, const std::string& message);
    ~OutOfBoundsError() override;
};

/// A size does not fit the index type.
class SPRUCE_EXPORT OverflowError : public Error {
public:
    OverflowError(const std::string& file, int line, const std::string& index_type);
    ~OverflowError() override;
};

/// A matrix file or stream is malformed; the message names file, line and fault.
class SPRUCE_EXPORT StreamError : public Error {
public:
    StreamError(const std::string& file, int line, const std::string& func, const std::string& message);
    ~StreamError() override;
};

/// No kernel fits what was asked for.
class SPRUCE_EXPORT KernelNotFound : public Error {
public:
    KernelNotFound(const std::string& file, int line, const std::string& func);
    ~KernelNotFound() override;
};

/// The matrix has, or lacks, a property that the operation depends on.
class SPRUCE_EXPORT UnsupportedMatrixProperty : public Error {
public:
    UnsupportedMatrixProperty(const std::string& file, int line, const std::string& message);
    ~UnsupportedMatrixProperty() override;
};

/// The object is in a state in which this cannot be done.
class SPRUCE_EXPORT InvalidStateError : public Error {
public:
    InvalidStateError(const std::string& file, int line, const std::string& func, const std::string& clarification);
    ~InvalidStateError() override;
};

/// A call into METIS failed, which applications may partition matrices with; message says what METIS' code means.
class SPRUCE_EXPORT MetisError : public Error {
public:
    MetisError(const std::string& file, int line, const std::string& func, const std::string& message);
    ~MetisError() override;
};

/// The size of a matrix is not a multiple of that of its blocks.
template <typename IndexType>
class BlockSizeError : public Error {
public:
    BlockSizeError(const std::string& file, int line, int block_size, IndexType size)
        : Error(file, line,
                "block size " + std::to_string(block_size) + " does not divide the size " + std::to_string(size))
    {}
};

// The message holds the name that the vendor's library has for the code.
#define SPRUCE_DECLARE_VENDOR_ERROR(_name)                                                  \
    class SPRUCE_EXPORT _name : public Error {                                              \
    public:                                                                                 \
        _name(const std::string& file, int line, const std::string& func, int64 error_code, \
              const std::string& description = "");                                         \
        ~_name() override;                                                                  \
    }
/// A call into the CUDA runtime failed.
SPRUCE_DECLARE_VENDOR_ERROR(CudaError);
/// A call into cuBLAS failed.
SPRUCE_DECLARE_VENDOR_ERROR(CublasError);
/// A call into cuSPARSE failed.
SPRUCE_DECLARE_VENDOR_ERROR(CusparseError);
/// A call into the HIP runtime failed.
SPRUCE_DECLARE_VENDOR_ERROR(HipError);
/// A call into hipBLAS failed.
SPRUCE_DECLARE_VENDOR_ERROR(HipblasError);
/// A call into hipSPARSE failed.
SPRUCE_DECLARE_VENDOR_ERROR(HipsparseError);
/// A call into cuRAND failed; applications make such calls, Spruce does not.
SPRUCE_DECLARE_VENDOR_ERROR(CurandError);
/// A call into cuFFT failed; applications make such calls, Spruce does not.
SPRUCE_DECLARE_VENDOR_ERROR(CufftError);
/// A call into hipRAND failed; applications make such calls, Spruce does not.
SPRUCE_DECLARE_VENDOR_ERROR(HiprandError);
/// A call into hipFFT failed; applications make such calls, Spruce does not.
SPRUCE_DECLARE_VENDOR_ERROR(HipfftError);
/// A call into MPI failed; applications make such calls, Spruce does not.
SPRUCE_DECLARE_VENDOR_ERROR(MpiError);
#undef SPRUCE_DECLARE_VENDOR_ERROR

}  // namespace spruce
