// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Contains constructs that dev_tools/cuda2hip has to translate and that are rare in the sources.
// nvcc compiles this file, and hipcc compiles its translation. It is not executed.

#include <cuda_runtime.h>
#include <cusparse.h>

// The formatter does not know launches.
// clang-format off
namespace sample {

#define SAMPLE_CHECK(_call)                                      \
    if (const auto error = (_call); error != cudaSuccess) {      \
        throw cudaGetErrorString(error); /* <<< no launch >>> */ \
    }
#define SAMPLE_LAUNCH(_kernel, ...) _kernel<<<1, 64>>>(__VA_ARGS__)

__constant__ double factors[2];

template <typename A, typename B>
struct pair_of {
    A first;
    B second;
};

template <typename T, int N>
__global__ __launch_bounds__(256) void scale(T* values, int size)
{
    extern __shared__ char bytes[];
    const auto scratch = reinterpret_cast<T*>(bytes);
    const int i = threadIdx.x + blockIdx.x * blockDim.x;
    scratch[threadIdx.x] = i < size ? values[i] : T{};
    __syncthreads();
    if (i < size) {
        values[i] = scratch[threadIdx.x] * static_cast<T>(factors[N % 2]);
    }
}

template <typename Pair>
__global__ void copy_pairs(Pair* pairs)
{
    extern __shared__ __align__(16) unsigned char raw[];
    pairs[threadIdx.x].second = pairs[threadIdx.x].first;
    raw[0] = 1;
}

__global__ void sums(unsigned members, double* values, int* found)
{
#ifdef __CUDA_ARCH__
    auto sum = values[threadIdx.x];
    for (int step = 8; step > 0; step /= 2) {
        sum += __shfl_xor_sync(members, sum, step, 16);
    }
    found[0] = __any_sync(members, sum > 0) + (__ballot_sync(members, sum > 1) >> 1 != 0);
    values[threadIdx.x] = sum;
#endif
}

template <int A, int B>
constexpr int larger = A < B ? B : A;
template <typename T>
struct blocks_of {
    static constexpr int value = 4;
};
constexpr int ceildiv(int a, int b) { return (a + b - 1) / b; }

template <typename T>
struct table {
    void (*kernels[2])(T*, int);
};

template <typename T>
void run(T* values, int size, cudaStream_t stream)
{
    sample::scale<T, 4><<<ceildiv(size, 256), 256, 256 * sizeof(T), stream>>>(values, size);
    ::sample::scale<T, (4 > 3)><<<dim3{1, 2}, size > 5 ? 64 : 32>>>(values, size);
    scale<T, larger<1, 2>><<<larger<2, 3>, 256 >> 1, 1 << 4>>>(values, size);
    scale<T, 0><<<blocks_of<blocks_of<T>>::value, larger<2, 3>, size>>2>>>(values,  // a comment, with a comma
                                                                           size);
    const table<T> all{{scale<T, 0>, scale<T, 1>}};
    if (size > 1) all.kernels[0]<<<1, 1>>>(values, size);
    else (all.kernels[1])<<<1, 1>>>(values, size);
    copy_pairs<pair_of<int, float>><<<1, 2, 16>>>(static_cast<pair_of<int, float>*>(nullptr));
    const auto kernel = scale<T, 1>;
    SAMPLE_LAUNCH(kernel, values, size);
    void* arguments[] = {&values, &size};
    SAMPLE_CHECK(cudaLaunchKernel(scale<T, 2>, dim3(ceildiv(size, 256)), 256, arguments, 256 * sizeof(T), stream));
}

void use(double* values, int* found)
{
    const double host[2] = {1, 2};
    SAMPLE_CHECK(cudaMemcpyToSymbol(factors, host, sizeof(host)));
    SAMPLE_CHECK(cudaMemcpy(values, host, sizeof(host), cudaMemcpyHostToDevice));
    SAMPLE_CHECK(cudaFuncSetCacheConfig(scale<double, 1>, cudaFuncCachePreferShared));
    cudaStream_t stream;
    SAMPLE_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    sums<<<1, 16, 0, stream>>>(static_cast<unsigned>(found[0]), values, found);
    run(values, 2, stream);
    cudaDeviceProp properties;
    SAMPLE_CHECK(cudaGetDeviceProperties(&properties, 0));
    cusparseHandle_t handle;
    if (cusparseCreate(&handle) == CUSPARSE_STATUS_SUCCESS) {
        cusparseDnVecDescr_t vector;
        cusparseCreateDnVec(&vector, 2, values, CUDA_R_64F);
        cusparseDestroyDnVec(vector);
        cusparseDestroy(handle);
    }
    SAMPLE_CHECK(cudaPeekAtLastError() == cudaErrorMemoryAllocation ? cudaSuccess : cudaDeviceSynchronize());
}

}  // namespace sample
