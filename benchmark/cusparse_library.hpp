// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <stdexcept>
#include <string>

#include <cusparse.h>
#include <dlfcn.h>

#include <spruce/base/exception.hpp>

namespace spruce::bench {

/// Provides the functions of cuSPARSE, which are loaded at run time. The program therefore also
/// starts on machines without CUDA.
class cusparse_library {
    // The CUDA backend has already loaded the library, so its name suffices without a path.
    static void* open()
    {
        const auto name = "libcusparse.so." + std::to_string(CUSPARSE_VER_MAJOR);
        if (const auto library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) {
            return library;
        }
        throw std::runtime_error(std::string("cuSPARSE was not found: ") + dlerror());
    }

    template <typename Function>
    Function find(const char* name) const
    {
        if (const auto function = dlsym(library_, name)) {
            return reinterpret_cast<Function>(function);
        }
        throw std::runtime_error(std::string("cuSPARSE has no ") + name);
    }

    void* library_{open()};  // must precede the functions, which are loaded from it

public:
    static const cusparse_library& get()
    {
        static const cusparse_library library;
        return library;
    }

    /// Checks the status of a call.
    /// @throws CusparseError  if status is not success
    void check(cusparseStatus_t status, const char* function) const
    {
        if (status != CUSPARSE_STATUS_SUCCESS) {
            throw CusparseError(__FILE__, __LINE__, function, status, get_error_string(status));
        }
    }

    decltype(&::cusparseGetErrorString) get_error_string =
        find<decltype(&::cusparseGetErrorString)>("cusparseGetErrorString");

#define SPRUCE_CUSPARSE_FUNCTION(member, function) decltype(&::function) member = find<decltype(&::function)>(#function)
    SPRUCE_CUSPARSE_FUNCTION(create, cusparseCreate);
    SPRUCE_CUSPARSE_FUNCTION(destroy, cusparseDestroy);
    SPRUCE_CUSPARSE_FUNCTION(set_stream, cusparseSetStream);
    SPRUCE_CUSPARSE_FUNCTION(create_csr, cusparseCreateConstCsr);
    SPRUCE_CUSPARSE_FUNCTION(create_coo, cusparseCreateConstCoo);
    SPRUCE_CUSPARSE_FUNCTION(create_sell, cusparseCreateConstSlicedEll);
    SPRUCE_CUSPARSE_FUNCTION(destroy_matrix, cusparseDestroySpMat);
    SPRUCE_CUSPARSE_FUNCTION(create_const_vector, cusparseCreateConstDnVec);
    SPRUCE_CUSPARSE_FUNCTION(create_vector, cusparseCreateDnVec);
    SPRUCE_CUSPARSE_FUNCTION(destroy_vector, cusparseDestroyDnVec);
    SPRUCE_CUSPARSE_FUNCTION(create_const_dense, cusparseCreateConstDnMat);
    SPRUCE_CUSPARSE_FUNCTION(create_dense, cusparseCreateDnMat);
    SPRUCE_CUSPARSE_FUNCTION(destroy_dense, cusparseDestroyDnMat);
    SPRUCE_CUSPARSE_FUNCTION(spmv_buffer_size, cusparseSpMV_bufferSize);
    SPRUCE_CUSPARSE_FUNCTION(spmv, cusparseSpMV);
#if CUSPARSE_VERSION >= 12300
    SPRUCE_CUSPARSE_FUNCTION(spmv_preprocess, cusparseSpMV_preprocess);
#endif
    SPRUCE_CUSPARSE_FUNCTION(spmm_buffer_size, cusparseSpMM_bufferSize);
    SPRUCE_CUSPARSE_FUNCTION(spmm_preprocess, cusparseSpMM_preprocess);
    SPRUCE_CUSPARSE_FUNCTION(spmm, cusparseSpMM);
    SPRUCE_CUSPARSE_FUNCTION(create_result_csr, cusparseCreateCsr);
    SPRUCE_CUSPARSE_FUNCTION(set_csr_pointers, cusparseCsrSetPointers);
    SPRUCE_CUSPARSE_FUNCTION(get_matrix_size, cusparseSpMatGetSize);
    SPRUCE_CUSPARSE_FUNCTION(set_matrix_attribute, cusparseSpMatSetAttribute);
    SPRUCE_CUSPARSE_FUNCTION(create_spsv, cusparseSpSV_createDescr);
    SPRUCE_CUSPARSE_FUNCTION(destroy_spsv, cusparseSpSV_destroyDescr);
    SPRUCE_CUSPARSE_FUNCTION(spsv_buffer_size, cusparseSpSV_bufferSize);
    SPRUCE_CUSPARSE_FUNCTION(spsv_analysis, cusparseSpSV_analysis);
    SPRUCE_CUSPARSE_FUNCTION(spsv_solve, cusparseSpSV_solve);
    SPRUCE_CUSPARSE_FUNCTION(create_spgemm, cusparseSpGEMM_createDescr);
    SPRUCE_CUSPARSE_FUNCTION(destroy_spgemm, cusparseSpGEMM_destroyDescr);
    SPRUCE_CUSPARSE_FUNCTION(spgemm_estimate_work, cusparseSpGEMM_workEstimation);
    SPRUCE_CUSPARSE_FUNCTION(spgemm_compute, cusparseSpGEMM_compute);
    SPRUCE_CUSPARSE_FUNCTION(spgemm_copy, cusparseSpGEMM_copy);
    // These have no successors.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    SPRUCE_CUSPARSE_FUNCTION(create_legacy_matrix, cusparseCreateMatDescr);
    SPRUCE_CUSPARSE_FUNCTION(destroy_legacy_matrix, cusparseDestroyMatDescr);
    SPRUCE_CUSPARSE_FUNCTION(create_csrilu, cusparseCreateCsrilu02Info);
    SPRUCE_CUSPARSE_FUNCTION(destroy_csrilu, cusparseDestroyCsrilu02Info);
    SPRUCE_CUSPARSE_FUNCTION(csrilu_buffer_size, cusparseDcsrilu02_bufferSize);
    SPRUCE_CUSPARSE_FUNCTION(csrilu_analysis, cusparseDcsrilu02_analysis);
    SPRUCE_CUSPARSE_FUNCTION(csrilu, cusparseDcsrilu02);
#pragma GCC diagnostic pop
#undef SPRUCE_CUSPARSE_FUNCTION
};

}  // namespace spruce::bench
