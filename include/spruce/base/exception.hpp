// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <exception>
#include <string>

#include <spruce/base/dim.hpp>
#include <spruce/base/types.hpp>

namespace spruce {

/// Describes an error. It is the base of all exceptions that Spruce throws. what() reads
/// "file:line: message".
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

// Each class has an exported, out-of-line destructor. So only one copy of its type information
// exists, and other shared libraries can catch the exception.

/// Reports that a kernel or function exists, but not for this executor and these types.
class SPRUCE_EXPORT NotImplemented : public Error {
public:
    NotImplemented(const std::string& file, int line, const std::string& func);
    ~NotImplemented() override;
};

/// Reports that a module was not built or cannot be used on this machine. The message describes
/// what was tried.
class SPRUCE_EXPORT NotCompiled : public Error {
public:
    NotCompiled(const std::string& file, int line, const std::string& func, const std::string& module);
    ~NotCompiled() override;
};

/// Reports that the operation is not defined for an object of this type.
class SPRUCE_EXPORT NotSupported : public Error {
public:
    NotSupported(const std::string& file, int line, const std::string& func, const std::string& obj_type);
    ~NotSupported() override;
};

/// Reports that the sizes of two operands do not match.
class SPRUCE_EXPORT DimensionMismatch : public Error {
public:
    DimensionMismatch(const std::string& file, int line, const std::string& func, const std::string& first_name,
                      size_type first_rows, size_type first_cols, const std::string& second_name, size_type second_rows,
                      size_type second_cols, const std::string& clarification);
    ~DimensionMismatch() override;
};

/// Reports that the size of one operand is not acceptable.
class SPRUCE_EXPORT BadDimension : public Error {
public:
    BadDimension(const std::string& file, int line, const std::string& func, const std::string& op_name,
                 size_type op_num_rows, size_type op_num_cols, const std::string& clarification);
    ~BadDimension() override;
};

/// Reports that two numbers which have to agree differ.
class SPRUCE_EXPORT ValueMismatch : public Error {
public:
    ValueMismatch(const std::string& file, int line, const std::string& func, size_type val1, size_type val2,
                  const std::string& clarification);
    ~ValueMismatch() override;
};

/// Reports that memory could not be allocated.
class SPRUCE_EXPORT AllocationError : public Error {
public:
    AllocationError(const std::string& file, int line, const std::string& device, size_type bytes);
    ~AllocationError() override;
};

/// Reports that an index is out of bounds.
class SPRUCE_EXPORT OutOfBoundsError : public Error {
public:
    OutOfBoundsError(const std::string& file, int line, size_type index, size_type bound);
    OutOfBoundsError(const std::string& file, int line, const std::string& message);
    ~OutOfBoundsError() override;
};

/// Reports that a size exceeds the range of the index type.
class SPRUCE_EXPORT OverflowError : public Error {
public:
    OverflowError(const std::string& file, int line, const std::string& index_type);
    ~OverflowError() override;
};

/// Reports that a matrix file or stream is malformed. The message names file, line and fault.
class SPRUCE_EXPORT StreamError : public Error {
public:
    StreamError(const std::string& file, int line, const std::string& func, const std::string& message);
    ~StreamError() override;
};

/// Reports that no kernel matches the request.
class SPRUCE_EXPORT KernelNotFound : public Error {
public:
    KernelNotFound(const std::string& file, int line, const std::string& func);
    ~KernelNotFound() override;
};

/// Reports that the matrix has, or lacks, a property that the operation depends on.
class SPRUCE_EXPORT UnsupportedMatrixProperty : public Error {
public:
    UnsupportedMatrixProperty(const std::string& file, int line, const std::string& message);
    ~UnsupportedMatrixProperty() override;
};

/// Reports that the operation is not possible in the present state of the object.
class SPRUCE_EXPORT InvalidStateError : public Error {
public:
    InvalidStateError(const std::string& file, int line, const std::string& func, const std::string& clarification);
    ~InvalidStateError() override;
};

/// Reports that a call into METIS failed. Applications may use METIS to partition matrices. The
/// message explains the error code of METIS.
class SPRUCE_EXPORT MetisError : public Error {
public:
    MetisError(const std::string& file, int line, const std::string& func, const std::string& message);
    ~MetisError() override;
};

/// Reports that the size of a matrix is not a multiple of the block size.
template <typename IndexType>
class BlockSizeError : public Error {
public:
    BlockSizeError(const std::string& file, int line, int block_size, IndexType size)
        : Error(file, line,
                "block size " + std::to_string(block_size) + " does not divide the size " + std::to_string(size))
    {}
};

// The message contains the name that the library of the vendor has for the error code.
#define SPRUCE_DECLARE_VENDOR_ERROR(_name)                                                  \
    class SPRUCE_EXPORT _name : public Error {                                              \
    public:                                                                                 \
        _name(const std::string& file, int line, const std::string& func, int64 error_code, \
              const std::string& description = "");                                         \
        ~_name() override;                                                                  \
    }
/// Reports that a call into the CUDA runtime failed.
SPRUCE_DECLARE_VENDOR_ERROR(CudaError);
/// Reports that a call into cuBLAS failed.
SPRUCE_DECLARE_VENDOR_ERROR(CublasError);
/// Reports that a call into cuSPARSE failed.
SPRUCE_DECLARE_VENDOR_ERROR(CusparseError);
/// Reports that a call into the HIP runtime failed.
SPRUCE_DECLARE_VENDOR_ERROR(HipError);
/// Reports that a call into hipBLAS failed.
SPRUCE_DECLARE_VENDOR_ERROR(HipblasError);
/// Reports that a call into hipSPARSE failed.
SPRUCE_DECLARE_VENDOR_ERROR(HipsparseError);
/// Reports that a call into cuRAND failed. Only applications make such calls.
SPRUCE_DECLARE_VENDOR_ERROR(CurandError);
/// Reports that a call into cuFFT failed. Only applications make such calls.
SPRUCE_DECLARE_VENDOR_ERROR(CufftError);
/// Reports that a call into hipRAND failed. Only applications make such calls.
SPRUCE_DECLARE_VENDOR_ERROR(HiprandError);
/// Reports that a call into hipFFT failed. Only applications make such calls.
SPRUCE_DECLARE_VENDOR_ERROR(HipfftError);
/// Reports that a call into MPI failed. Only applications make such calls.
SPRUCE_DECLARE_VENDOR_ERROR(MpiError);
#undef SPRUCE_DECLARE_VENDOR_ERROR

}  // namespace spruce
