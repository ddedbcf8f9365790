// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "benchmark/blas/cublas.hpp"

#include "core/base/build_config.hpp"

#if SPRUCE_WITH_CUDA

#include <stdexcept>
#include <string>

#include <cublas_v2.h>
#include <cusparse.h>
#include <dlfcn.h>
#include <link.h>

namespace spruce::bench {
namespace {

/// Opens cuBLAS in the default locations, or in the folder of cuSPARSE, which the CUDA backend has
/// loaded.
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
        this->run_product(find<decltype(&::cublasSgemm_v2)>("cublasSgemm_v2"),
                          find<decltype(&::cublasSgemv_v2)>("cublasSgemv_v2"), a, b, c);
    }
    void symv(const matrix::Dense<float>& a, const matrix::Dense<float>& x, matrix::Dense<float>& y) override
    {
        this->run_symv(find<decltype(&::cublasSsymv_v2)>("cublasSsymv_v2"), a, x, y);
    }
    void symm(const matrix::Dense<float>& a, const matrix::Dense<float>& b, matrix::Dense<float>& c) override
    {
        this->run_symm(find<decltype(&::cublasSsymm_v2)>("cublasSsymm_v2"), a, b, c);
    }
    void syrk(const matrix::Dense<float>& a, matrix::Dense<float>& c) override
    {
        this->run_syrk(find<decltype(&::cublasSsyrk_v2)>("cublasSsyrk_v2"), a, c);
    }
    void syr2k(const matrix::Dense<float>& a, const matrix::Dense<float>& b, matrix::Dense<float>& c) override
    {
        this->run_syr2k(find<decltype(&::cublasSsyr2k_v2)>("cublasSsyr2k_v2"), a, b, c);
    }
    void trmm(const matrix::Dense<float>& a, matrix::Dense<float>& b) override
    {
        this->run_trmm(find<decltype(&::cublasStrmm_v2)>("cublasStrmm_v2"), a, b);
    }
    void multiply(const matrix::Dense<double>& a, const matrix::Dense<double>& b, matrix::Dense<double>& c) override
    {
        this->run_product(find<decltype(&::cublasDgemm_v2)>("cublasDgemm_v2"),
                          find<decltype(&::cublasDgemv_v2)>("cublasDgemv_v2"), a, b, c);
    }
    void symv(const matrix::Dense<double>& a, const matrix::Dense<double>& x, matrix::Dense<double>& y) override
    {
        this->run_symv(find<decltype(&::cublasDsymv_v2)>("cublasDsymv_v2"), a, x, y);
    }
    void symm(const matrix::Dense<double>& a, const matrix::Dense<double>& b, matrix::Dense<double>& c) override
    {
        this->run_symm(find<decltype(&::cublasDsymm_v2)>("cublasDsymm_v2"), a, b, c);
    }
    void syrk(const matrix::Dense<double>& a, matrix::Dense<double>& c) override
    {
        this->run_syrk(find<decltype(&::cublasDsyrk_v2)>("cublasDsyrk_v2"), a, c);
    }
    void syr2k(const matrix::Dense<double>& a, const matrix::Dense<double>& b, matrix::Dense<double>& c) override
    {
        this->run_syr2k(find<decltype(&::cublasDsyr2k_v2)>("cublasDsyr2k_v2"), a, b, c);
    }
    void trmm(const matrix::Dense<double>& a, matrix::Dense<double>& b) override
    {
        this->run_trmm(find<decltype(&::cublasDtrmm_v2)>("cublasDtrmm_v2"), a, b);
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

    template <typename T>
    static int num_rows(const matrix::Dense<T>& x)
    {
        return static_cast<int>(x.get_size()[0]);
    }
    template <typename T>
    static int num_cols(const matrix::Dense<T>& x)
    {
        return static_cast<int>(x.get_size()[1]);
    }

    // Matrices of cuBLAS are stored by columns, so all matrices are transposed: c^T = b^T a^T, and
    // lower triangles become upper ones.

    template <typename Gemm, typename Gemv, typename T>
    void run_product(Gemm gemm, Gemv gemv, const matrix::Dense<T>& a, const matrix::Dense<T>& b,
                     matrix::Dense<T>& c) const
    {
        const auto m = num_rows(a);
        const auto n = num_cols(a);
        const auto k = num_cols(b);
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

    template <typename Symv, typename T>
    void run_symv(Symv symv, const matrix::Dense<T>& a, const matrix::Dense<T>& x, matrix::Dense<T>& y) const
    {
        const T alpha{1};
        const T beta{0};
        check(symv(handle_, CUBLAS_FILL_MODE_UPPER, num_rows(a), &alpha, a.get_const_values(), num_rows(a),
                   x.get_const_values(), 1, &beta, y.get_values(), 1));
    }

    template <typename Symm, typename T>
    void run_symm(Symm symm, const matrix::Dense<T>& a, const matrix::Dense<T>& b, matrix::Dense<T>& c) const
    {
        const T alpha{1};
        const T beta{0};
        check(symm(handle_, CUBLAS_SIDE_RIGHT, CUBLAS_FILL_MODE_UPPER, num_cols(b), num_rows(b), &alpha,
                   a.get_const_values(), num_rows(a), b.get_const_values(), num_cols(b), &beta, c.get_values(),
                   num_cols(c)));
    }

    template <typename Syrk, typename T>
    void run_syrk(Syrk syrk, const matrix::Dense<T>& a, matrix::Dense<T>& c) const
    {
        const T alpha{1};
        const T beta{0};
        check(syrk(handle_, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_T, num_rows(a), num_cols(a), &alpha, a.get_const_values(),
                   num_cols(a), &beta, c.get_values(), num_cols(c)));
    }

    template <typename Syr2k, typename T>
    void run_syr2k(Syr2k syr2k, const matrix::Dense<T>& a, const matrix::Dense<T>& b, matrix::Dense<T>& c) const
    {
        const T alpha{1};
        const T beta{0};
        check(syr2k(handle_, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_T, num_rows(a), num_cols(a), &alpha,
                    a.get_const_values(), num_cols(a), b.get_const_values(), num_cols(b), &beta, c.get_values(),
                    num_cols(c)));
    }

    template <typename Trmm, typename T>
    void run_trmm(Trmm trmm, const matrix::Dense<T>& a, matrix::Dense<T>& b) const
    {
        const T alpha{1};
        check(trmm(handle_, CUBLAS_SIDE_RIGHT, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_N, CUBLAS_DIAG_UNIT, num_cols(b),
                   num_rows(b), &alpha, a.get_const_values(), num_rows(a), b.get_const_values(), num_cols(b),
                   b.get_values(), num_cols(b)));
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
