// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "benchmark/dense/cublas.hpp"

#if SPRUCE_WITH_CUDA

#include <stdexcept>
#include <string>

#include <cublas_v2.h>
#include <cusparse.h>
#include <dlfcn.h>
#include <link.h>

namespace spruce::bench {
namespace {

/// In the usual places, or beside cuSPARSE, which the backend for cuda has loaded.
void* open_cublas()
{
    const auto name = "libcublas.so." + std::to_string(CUBLAS_VER_MAJOR);
    if (const auto library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) {
        return library;
    }
    const auto neighbour_name = "libcusparse.so." + std::to_string(CUSPARSE_VER_MAJOR);
    const auto neighbour = dlopen(neighbour_name.c_str(), RTLD_NOW | RTLD_NOLOAD);
    link_map* where{};
    if (!neighbour || dlinfo(neighbour, RTLD_DI_LINKMAP, &where) != 0) {
        return nullptr;
    }
    const std::string path{where->l_name};
    return dlopen((path.substr(0, path.rfind('/') + 1) + name).c_str(), RTLD_NOW | RTLD_LOCAL);
}

class cublas final : public vendor_blas {
public:
    cublas(void* library, const CudaExecutor& exec) : library_{library}
    {
        check(find<decltype(&::cublasCreate_v2)>("cublasCreate_v2")(&handle_));
        check(find<decltype(&::cublasSetStream_v2)>("cublasSetStream_v2")(handle_, exec.get_stream()));
    }
    ~cublas() override { find<decltype(&::cublasDestroy_v2)>("cublasDestroy_v2")(handle_); }

    void multiply(const matrix::Dense<float>& a, const matrix::Dense<float>& b, matrix::Dense<float>& c) override
    {
        this->run(find<decltype(&::cublasSgemm_v2)>("cublasSgemm_v2"),
                  find<decltype(&::cublasSgemv_v2)>("cublasSgemv_v2"), a, b, c);
    }
    void multiply(const matrix::Dense<double>& a, const matrix::Dense<double>& b, matrix::Dense<double>& c) override
    {
        this->run(find<decltype(&::cublasDgemm_v2)>("cublasDgemm_v2"),
                  find<decltype(&::cublasDgemv_v2)>("cublasDgemv_v2"), a, b, c);
    }

private:
    template <typename Function>
    Function find(const char* name) const
    {
        if (const auto function = dlsym(library_, name)) {
            return reinterpret_cast<Function>(function);
        }
        throw std::runtime_error(std::string("cuBLAS has no ") + name);
    }

    static void check(cublasStatus_t status)
    {
        if (status != CUBLAS_STATUS_SUCCESS) {
            throw std::runtime_error("cuBLAS failed with status " + std::to_string(status));
        }
    }

    /// Rows here are columns there, so all matrices are transposed: c^T = b^T a^T.
    template <typename Gemm, typename Gemv, typename T>
    void run(Gemm gemm, Gemv gemv, const matrix::Dense<T>& a, const matrix::Dense<T>& b, matrix::Dense<T>& c) const
    {
        const auto m = static_cast<int>(a.get_size()[0]);
        const auto n = static_cast<int>(a.get_size()[1]);
        const auto k = static_cast<int>(b.get_size()[1]);
        const T alpha{1};
        const T beta{0};
        if (k == 1) {
            check(gemv(handle_, CUBLAS_OP_T, n, m, &alpha, a.get_const_values(), n, b.get_const_values(), 1, &beta,
                       c.get_values(), 1));
        } else {
            check(gemm(handle_, CUBLAS_OP_N, CUBLAS_OP_N, k, m, n, &alpha, b.get_const_values(), k,
                       a.get_const_values(), n, &beta, c.get_values(), k));
        }
    }

    void* library_;
    cublasHandle_t handle_{};
};

}  // namespace

std::unique_ptr<vendor_blas> create_vendor_blas(const std::shared_ptr<const Executor>& exec)
{
    const auto cuda = std::dynamic_pointer_cast<const CudaExecutor>(exec);
    const auto library = cuda ? open_cublas() : nullptr;
    return library ? std::make_unique<cublas>(library, *cuda) : nullptr;
}

}  // namespace spruce::bench

#else

namespace spruce::bench {

std::unique_ptr<vendor_blas> create_vendor_blas(const std::shared_ptr<const Executor>&) { return nullptr; }

}  // namespace spruce::bench

#endif
