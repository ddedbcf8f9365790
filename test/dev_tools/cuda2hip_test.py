#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Spruce authors
# SPDX-License-Identifier: BSD-3-Clause
"""Tests of dev_tools/cuda2hip"""

import glob
import os
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOOLS = os.path.join(ROOT, "dev_tools")
sys.path.insert(0, TOOLS)
sys.dont_write_bytecode = True

# pylint: disable=wrong-import-position
from cuda2hip_translate import TranslationError, target_path, tokenize, translate


class Cuda2HipTest(unittest.TestCase):
    maxDiff = None

    def check(self, cuda, hip):
        # The translator adds the header of the runtime if there is no HIP header.
        include = '#include "hip/base/prelude.hpp"\n'
        self.assertEqual(translate(include + cuda), include + hip)

    def check_unchanged(self, text):
        self.check(text, text)

    def check_body(self, cuda, hip):
        self.check("void f() { " + cuda + " }", "void f() { " + hip + " }")

    def check_refused(self, text, message, line=1):
        with self.assertRaises(TranslationError, msg=text) as caught:
            translate(text)
        self.assertEqual([fault for fault in caught.exception.faults if message in fault[1] and fault[0] == line][:1],
                         [fault for fault in caught.exception.faults][:1], caught.exception.faults)


class Tokens(unittest.TestCase):
    def texts(self, text):
        faults = []
        tokens = tokenize(text, lambda position, message: faults.append(message))
        self.assertEqual(faults, [])
        self.assertEqual("".join(token.text for token in tokens), text)
        return [token.text for token in tokens if token.is_code()]

    def test_every_character_is_kept(self):
        for name in ["base/backend.cu", "base/launch.hpp", "base/runtime.hpp"]:
            with open(os.path.join(ROOT, "cuda", name), encoding="utf-8") as file:
                self.texts(file.read())

    def test_closing_angles_stand_alone_and_opening_ones_of_a_launch_together(self):
        self.assertEqual(self.texts("a<b<c>>"), ["a", "<", "b", "<", "c", ">", ">"])
        self.assertEqual(self.texts("k<<<1, 2>>>()"), ["k", "<<<", "1", ",", "2", ">", ">", ">", "(", ")"])
        self.assertEqual(self.texts("x <<= 1 << 2"), ["x", "<<=", "1", "<<", "2"])
        self.assertEqual(self.texts("&operator<<<int>"), ["&", "operator", "<<", "<", "int", ">"])

    def test_literals_and_comments(self):
        self.assertEqual(self.texts('"a\\"<<<" + \'"\' // <<<\n/* <<<\n*/ 1\'000.5e-3f'), ['"a\\"<<<"', "+", "'\"'", "1'000.5e-3f"])
        self.assertEqual(self.texts('R"x(k<<<1,2>>>(); )" )x"'), ['R"x(k<<<1,2>>>(); )" )x"'])
        self.assertEqual(self.texts("// one \\\n still <<<\nb"), ["b"])

    def test_apostrophe_in_the_text_of_a_directive(self):
        self.assertEqual(self.texts("#error isn't there\nx")[-1], "x")


class Launches(Cuda2HipTest):
    def test_shared_memory_and_stream_are_added(self):
        self.check_body("k<<<1, 2>>>(a, b);", "hipLaunchKernelGGL(k, 1, 2, 0, 0, a, b);")
        self.check_body("k<<<1, 2, 3>>>(a);", "hipLaunchKernelGGL(k, 1, 2, 3, 0, a);")
        self.check_body("k<<<1, 2, 3, s>>>();", "hipLaunchKernelGGL(k, 1, 2, 3, s);")

    def test_template_in_namespace(self):
        self.check_body("ns::kernel<T, 4><<<grid, block, shared, stream>>>(args);",
                        "hipLaunchKernelGGL(HIP_KERNEL_NAME(ns::kernel<T, 4>), grid, block, shared, stream, args);")
        self.check_body("::ns::a<int>::template k<b<c<int>>><<<1, 2>>>(x);",
                        "hipLaunchKernelGGL(HIP_KERNEL_NAME(::ns::a<int>::template k<b<c<int>>>), 1, 2, 0, 0, x);")
        self.check_body("k<(a > b), sizeof(T)><<<1, 2>>>(x);",
                        "hipLaunchKernelGGL(HIP_KERNEL_NAME(k<(a > b), sizeof(T)>), 1, 2, 0, 0, x);")

    def test_templates_that_end_at_the_end_of_the_launch(self):
        self.check_body("k<<<1, size<b<int>>>>>(x);", "hipLaunchKernelGGL(k, 1, size<b<int>>, 0, 0, x);")
        self.check_body("k<T><<<f<g<h<int>>>(1), 2>>>(x);",
                        "hipLaunchKernelGGL(HIP_KERNEL_NAME(k<T>), f<g<h<int>>>(1), 2, 0, 0, x);")

    def test_shifts_and_comparisons_in_the_configuration(self):
        self.check_body("k<<<n >> 2, 1 << m, n>>1>>>(x);", "hipLaunchKernelGGL(k, n >> 2, 1 << m, n>>1, 0, x);")
        self.check_body("k<<<n < 5 ? 1 : 2, m > 3 ? 4 : 5>>>(x);", "hipLaunchKernelGGL(k, n < 5 ? 1 : 2, m > 3 ? 4 : 5, 0, 0, x);")
        self.check_body("k<<<n < m, b>>>(x);", "hipLaunchKernelGGL(k, n < m, b, 0, 0, x);")
        self.check_body("k<<<p->n, q->m>>>(x);", "hipLaunchKernelGGL(k, p->n, q->m, 0, 0, x);")

    def test_commas_that_the_preprocessor_would_see_are_put_into_parentheses(self):
        self.check_body("k<<<blocks<a, b>(n), dim3(1, 2)>>>(x);", "hipLaunchKernelGGL(k, (blocks<a, b>(n)), dim3(1, 2), 0, 0, x);")
        self.check_body("k<<<dim3{1, 2}, {3, 4, 5}>>>(x);", "hipLaunchKernelGGL(k, (dim3{1, 2}), (dim3{3, 4, 5}), 0, 0, x);")
        self.check_body("k<<<1, 2, [&] { int a, b; return 0; }()>>>(x);",
                        "hipLaunchKernelGGL(k, 1, 2, ([&] { int a, b; return 0; }()), 0, x);")

    def test_any_operand_may_be_launched(self):
        self.check_body("(p)<<<1, 2>>>(x);", "hipLaunchKernelGGL((p), 1, 2, 0, 0, x);")
        self.check_body("t.k[i]<<<1, 2>>>(x);", "hipLaunchKernelGGL(t.k[i], 1, 2, 0, 0, x);")
        self.check_body("t->get<T>(1)<<<1, 2>>>(x);", "hipLaunchKernelGGL(HIP_KERNEL_NAME(t->get<T>(1)), 1, 2, 0, 0, x);")
        self.check_body("if (a) (p)<<<1, 2>>>(x); else k<<<3, 4>>>(x);",
                        "if (a) hipLaunchKernelGGL((p), 1, 2, 0, 0, x); else hipLaunchKernelGGL(k, 3, 4, 0, 0, x);")

    def test_layout_and_comments_are_kept(self):
        self.check_body("k<T>\n    <<<grid, block>>>(\n    a,  // first\n    b);",
                        "hipLaunchKernelGGL(HIP_KERNEL_NAME(k<T>), grid, block, 0, 0,\n    a,  // first\n    b);")
        self.check_body("k <<< g /* >>> */, b >>> ( a );", "hipLaunchKernelGGL(k, g /* >>> */, b, 0, 0, a );")

    def test_arguments_are_translated_too(self):
        self.check_body("k<<<1, 2>>>(cudaSuccess, [] { g(cudaStreamDefault); });",
                        "hipLaunchKernelGGL(k, 1, 2, 0, 0, hipSuccess, [] { g(hipStreamDefault); });")

    def test_launch_in_a_macro(self):
        self.check("#define RUN(k, ...) \\\n    k<<<1, 2>>>(__VA_ARGS__)\n",
                   "#define RUN(k, ...) \\\n    hipLaunchKernelGGL(k, 1, 2, 0, 0, __VA_ARGS__)\n")
        self.check("#define RUN k<<<1, 2>>>(x);", "#define RUN hipLaunchKernelGGL(k, 1, 2, 0, 0, x);")

    def test_what_only_looks_like_a_launch_is_left_alone(self):
        for text in ['const char* a = "k<<<1, 2>>>(x);";', "// k<<<1, 2>>>(x);", "/* k<<<1, 2>>>(x); */",
                     'auto a = R"(k<<<1, 2>>>(x))";', "auto a = &operator<<<int>;", "a<b<c<int>>> d(e);"]:
            self.check_unchanged(text)

    def test_what_is_no_statement_is_refused(self):
        for text in ["a ? k<<<1, 2>>>() : m<<<1, 2>>>();", "(void)k<<<1, 2>>>();", "return k<<<1, 2>>>();",
                     "k<<<1, 2>>>(), f();", "x = k<<<1, 2>>>();"]:
            with self.subTest(text):
                self.check_refused("void f() {\n" + text + "\n}", "launch becomes a statement", 2)

    def test_malformed_launches_are_refused(self):
        for text, message in [("k<<<1>>>(x);", "a launch takes"), ("k<<<1, 2, 3, 4, 5>>>(x);", "a launch takes"),
                              ("k<<<1, 2>>>;", "no >>>( ends"), ("k<<<1, 2;", "no >>>( ends"), ("k<<<1, 2>>>(x;", "not ended"),
                              ("k<<<1, , 2>>>(x);", "a launch takes"), ("k<<<1, 2, {3}>>>(x);", "in braces"),
                              ("+<<<1, 2>>>(x);", "not clear where the name"),
                              ("k<<<1, 2>>>([] { m<<<1, 2>>>(); });", "launch within"),
                              ("k<<<1, 2>>>(\n#if A\nx\n#endif\n);", "preprocessor line")]:
            with self.subTest(text):
                self.check_refused("void f()\n{\n    " + text + "\n}\n", message, 3)


class Names(Cuda2HipTest):
    def test_runtime_and_libraries(self):
        for cuda, hip in [("cudaMalloc", "hipMalloc"), ("cudaStream_t", "hipStream_t"), ("cudaDeviceProp", "hipDeviceProp_t"),
                          ("cudaErrorMemoryAllocation", "hipErrorOutOfMemory"), ("cudaFreeHost", "hipHostFree"),
                          ("cusparseSpMV", "hipsparseSpMV"), ("CUSPARSE_OPERATION_TRANSPOSE", "HIPSPARSE_OPERATION_TRANSPOSE"),
                          ("CUDA_R_64F", "HIP_R_64F"), ("cublasZgemm", "hipblasZgemm"), ("CUBLAS_OP_N", "HIPBLAS_OP_N"),
                          ("curandGenerateUniform", "hiprandGenerateUniform"), ("curand_init", "hiprand_init"),
                          ("CURAND_RNG_PSEUDO_DEFAULT", "HIPRAND_RNG_PSEUDO_DEFAULT"), ("cuDoubleComplex", "hipDoubleComplex")]:
            self.check(f"auto a = {cuda};", f"auto a = {hip};")

    def test_own_names(self):
        self.check("namespace spruce::kernels::cuda {}  // namespace spruce::kernels::cuda",
                   "namespace spruce::kernels::hip {}  // namespace spruce::kernels::hip")
        for cuda, hip in [("CudaExecutor", "HipExecutor"), ("CusparseError", "HipsparseError"), ("spruce_cuda_entry", "spruce_hip_entry"),
                          ("SPRUCE_CUDA_WIDTH", "SPRUCE_HIP_WIDTH"), ("backend::cuda", "backend::hip")]:
            self.check(f"auto a = {cuda};", f"auto a = {hip};")

    def test_words_that_only_begin_alike_stay(self):
        self.check_unchanged("int current, cutoff, cube, barracuda, cumulative, cursor, Cudax; // CUDA is prose")

    def test_names_in_comments_and_strings(self):
        self.check('f("cudaMalloc failed: %s"); // as cudaFree; cudaNobodyKnows', 'f("hipMalloc failed: %s"); // as hipFree; cudaNobodyKnows')
        self.check_unchanged('auto a = R"(cudaMalloc)";')

    def test_pasted_names(self):
        self.check("#define GPU(_name) cuda##_name\n#define C(_name) CUSPARSE_##_name\n",
                   "#define GPU(_name) hip##_name\n#define C(_name) HIPSPARSE_##_name\n")

    def test_unknown_names_are_refused_with_their_line(self):
        for name in ["cudaNobodyKnows", "cusparseNobodyKnows", "cublasNobodyKnows", "CUSPARSE_NOBODY", "cuMemAlloc", "CUdevice",
                     "nvtxRangePushA", "cudaGraphLaunch", "CUDART_VERSION", "__CUDACC_VER_MAJOR__"]:
            with self.subTest(name):
                self.check_refused(f"\nint a;\nauto b = {name};", name, 3)

    def test_all_faults_are_told_at_once(self):
        with self.assertRaises(TranslationError) as caught:
            translate("cudaX a;\n\nasm(\"\");\ncudaY b;\n")

        self.assertEqual([line for line, _ in caught.exception.faults], [1, 3, 4])

    def test_architecture_may_only_be_asked_for(self):
        self.check("#ifdef __CUDA_ARCH__\n#elif defined(__CUDA_ARCH__) && !defined __CUDA_ARCH__\n#endif",
                   "#ifdef __HIP_DEVICE_COMPILE__\n#elif defined(__HIP_DEVICE_COMPILE__) && !defined __HIP_DEVICE_COMPILE__\n#endif")
        self.check_refused("#if __CUDA_ARCH__ >= 700\n#endif", "says nothing about AMD")

    def test_headers(self):
        for cuda, hip in [("<cuda_runtime.h>", "<hip/hip_runtime.h>"), ("<cusparse.h>", "<hipsparse/hipsparse.h>"),
                          ("<cublas_v2.h>", "<hipblas/hipblas.h>"), ("<curand_kernel.h>", "<hiprand/hiprand_kernel.h>"),
                          ('"cuda/base/config.hpp"', '"hip/base/config.hpp"'), ('"cuda/matrix/a.cuh"', '"hip/matrix/a.hip.hpp"')]:
            self.check(f"#  include {cuda} // a", f"#  include {hip} // a")
        self.check_unchanged('#include "common/gpu/base/cusparse_types.hpp"\n#include <spruce/base/array.hpp>\n')
        self.check_refused("\n#include <cooperative_groups.h>", "is not known", 2)
        self.check_refused("#include <cub/cub.cuh>", "is not known")

    def test_runtime_header_is_added_where_nvcc_includes_it(self):
        self.assertEqual(translate("#include <vector>\n__global__ void k();\n"),
                         "#include <hip/hip_runtime.h>\n#include <vector>\n__global__ void k();\n")
        self.assertEqual(translate("#include <vector>\nint a;\n"), "#include <vector>\nint a;\n")
        self.assertEqual(translate("#include <cuda_runtime.h>\n__global__ void k();\n"),
                         "#include <hip/hip_runtime.h>\n__global__ void k();\n")


class Forms(Cuda2HipTest):
    def test_dynamic_shared_memory(self):
        self.check_body("extern __shared__ double scratch[];", "HIP_DYNAMIC_SHARED(double, scratch);")
        self.check_body("extern __shared__ unsigned char\n    scratch [ ];", "HIP_DYNAMIC_SHARED(unsigned char,\n    scratch);")
        self.check_body("a(); __shared__ extern volatile T s[];", "a(); HIP_DYNAMIC_SHARED(volatile T, s);")
        self.check_body("extern __shared__ __align__(16) char s[];", "HIP_DYNAMIC_SHARED(__align__(16) char, s);")
        self.check_body("extern __shared__ pair<int, float> s[];", "HIP_DYNAMIC_SHARED(HIP_KERNEL_NAME(pair<int, float>), s);")
        self.check_unchanged("void f() { __shared__ double s[4]; __shared__ double* p; }")

    def test_other_dynamic_shared_memory_is_refused(self):
        for text in ["extern __shared__ int a[], b[];", "extern __shared__ int a;", "extern __shared__ int a[4];"]:
            self.check_refused(text, "dynamic shared memory has to be declared")

    def test_symbols_and_functions_as_arguments(self):
        self.check_body("cudaMemcpyToSymbol(a<int, 2>, &b, sizeof(b));", "hipMemcpyToSymbol(HIP_SYMBOL(a<int, 2>), &b, sizeof(b));")
        self.check_body("cudaMemcpyFromSymbol(&b, a, n);", "hipMemcpyFromSymbol(&b, HIP_SYMBOL(a), n);")
        self.check_body("cudaFuncSetAttribute(k<T, 2>, cudaFuncAttributeMaxDynamicSharedMemorySize, n);",
                        "hipFuncSetAttribute(reinterpret_cast<const void*>(k<T, 2>), hipFuncAttributeMaxDynamicSharedMemorySize, n);")
        self.check_body("cudaLaunchKernel(k<int, 2>, dim3(n), 64, arguments, 0, s);",
                        "hipLaunchKernel(reinterpret_cast<const void*>(k<int, 2>), dim3(n), 64, arguments, 0, s);")
        self.check_refused("\nauto launch = &cudaLaunchKernel;", "not called with its arguments", 2)

    def test_warp_operations_with_a_mask_that_is_computed(self):
        self.check_body("x = __shfl_xor_sync(mask, f(x, 1), 1, 8);", "x = __shfl_xor(f(x, 1), 1, 8);")
        self.check_body("x = __ballot_sync(m | 1, p);", "x = (__ballot(p) & (m | 1));")
        self.check_body("x = __any_sync(m, p);", "x = ((__ballot(p) & (m)) != 0);")
        self.check_body("x = __all_sync(m, p || q);", "x = ((__ballot(!(p || q)) & (m)) == 0);")
        self.check_body("x = __shfl_sync(m, __ballot_sync(m, p), 0);", "x = __shfl((__ballot(p) & (m)), 0);")

    def test_literal_masks_are_refused(self):
        for mask in ["0xffffffff", "~0u", "-1", "(1u << 16) - 1", "unsigned(-1)"]:
            self.check_refused(f"int f(int x)\n{{\n    return __shfl_sync({mask}, x, 0);\n}}", "is a literal", 3)
        self.check_refused("#define full 0xffffffff\nint x = __any_sync(full, p);", "is a literal", 2)
        self.check_refused("constexpr auto full = 0xffffffffu;\nint x = __ballot_sync(full, p);", "is a literal", 2)

    def test_what_hip_lacks_is_refused(self):
        for text, message in [('asm volatile("mov.u32 %0, %laneid;" : "=r"(x));', "inline assembly"),
                              ('__asm__("");', "inline assembly"),
                              ("texture<float> t;", "textures"), ("cudaTextureObject_t t;", "textures"),
                              ("x = tex1Dfetch<float>(t, 1);", "textures"),
                              ("cudaLaunchCooperativeKernel(k, g, b, a, 0, s);", "cooperative launches"),
                              ("namespace cg = cooperative_groups;", "cooperative groups"),
                              ("auto g = cooperative_groups::this_grid();", "cooperative groups"),
                              ("cuda::std::atomic<int> a;", "libcu++"), ("x = __ldcs(p);", "no such load"),
                              ("__syncwarp();", "no such warp operation"), ("x = __shfl(y, 0);", "only with a mask"),
                              ("atomicAdd_block(p, 1);", "scope of atomics"),
                              ("#pragma nv_diag_suppress 20012", "nvcc only"),
                              ("__global__ __launch_bounds__(256, 4) void k();", "__launch_bounds__")]:
            with self.subTest(text):
                self.check_refused("\n" + text, message, 2)
        self.check_unchanged("int texture, surface; a.cg(1); __global__ __launch_bounds__(256) void k();")

    def test_what_is_not_ended_is_refused(self):
        self.check_refused("int a;\n/* comment", "not ended", 2)
        self.check_refused('int a;\nf("text\n);', "not ended", 2)
        self.check_refused('auto a = R"x(text)";', "not ended", 1)


class Program(Cuda2HipTest):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def run_on(self, *arguments):
        return subprocess.run([sys.executable, "-B", os.path.join(TOOLS, "cuda2hip"), *arguments], capture_output=True, text=True, check=False)

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def test_target_paths(self):
        for cuda, hip in [("cuda/matrix/csr_kernels.cu", "hip/matrix/csr_kernels.hip.cpp"), ("cuda/base/a.hpp", "hip/base/a.hpp"),
                          ("cuda/components/warp.cuh", "hip/components/warp.hip.hpp"), ("cuda/base/cuda_types.hpp", "hip/base/hip_types.hpp")]:
            self.assertEqual(target_path(cuda), hip)

    def test_own_files_are_translated(self):
        files = [os.path.join(ROOT, "cuda", "base", name) for name in ["backend.cu", "config.hpp", "launch.hpp", "runtime.hpp"]]

        run = self.run_on("--output-dir", self.folder, *files)

        self.assertEqual((run.returncode, run.stderr), (0, ""))
        for path in files:
            relative = target_path(os.path.relpath(path, ROOT))
            self.assertTrue(os.path.exists(os.path.join(ROOT, relative)), relative)
            with open(os.path.join(self.folder, relative), encoding="utf-8") as file:
                self.assertNotIn("cuda", file.read().replace('"common/', ""), relative)

    def test_generated_sources_become_those_of_hip(self):
        def generate(template, kernel_file):
            with open(os.path.join(ROOT, *template), encoding="utf-8") as file:
                return file.read().replace("@SPRUCE_KERNEL_INCLUDES@", f'#include "{kernel_file}"')

        kernel_files = glob.glob(os.path.join("common", "**", "*_kernels.hpp"), root_dir=ROOT, recursive=True)
        self.assertGreater(len(kernel_files), 30)
        for kernel_file in kernel_files:
            self.assertEqual(translate(generate(["cuda", "kernel.cu.in"], kernel_file)),
                             generate(["hip", "kernel.hip.cpp.in"], kernel_file))

    def test_refuses_with_file_and_line_and_writes_nothing(self):
        good = self.write("cuda/a.cu", "int a;\n")
        bad = self.write("cuda/b.cu", "int a;\ncudaNobodyKnows b;\n")

        run = self.run_on("--output-dir", self.folder, good, bad)

        self.assertEqual(run.returncode, 1)
        self.assertIn(f"{bad}:2: error: cudaNobodyKnows", run.stderr)
        self.assertFalse(os.path.exists(os.path.join(self.folder, "hip")))

    def test_overwrites_only_by_force(self):
        source = self.write("cuda/a.cu", "int a;\n")
        target = self.write("hip/a.hip.cpp", "int b;\n")

        refused = self.run_on("--output-dir", self.folder, source)
        forced = self.run_on("--output-dir", self.folder, "--force", source)

        self.assertEqual((refused.returncode, forced.returncode), (1, 0))
        self.assertIn("is there and differs", refused.stderr)
        with open(target, encoding="utf-8") as file:
            self.assertEqual(file.read(), "int a;\n")

    def test_prints(self):
        run = self.run_on("--print", self.write("cuda/a.cu", "#include <cuda_runtime.h>\n"))

        self.assertEqual((run.returncode, run.stdout), (0, "#include <hip/hip_runtime.h>\n"))


if __name__ == "__main__":
    unittest.main()
