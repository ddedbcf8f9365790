// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// In place of a vendor's sparse library, on the host platform of HIP.

inline void* create_handle(void*)
{
    throw NotSupported(__FILE__, __LINE__, "the vendor's sparse library", "the host platform of HIP");
}
inline void destroy_handle(void*) {}
template <typename V, typename I>
bool spmv(const DeviceExecutor&, const matrix::Csr<V, I>&, const matrix::Dense<V>&, matrix::Dense<V>&, const V*,
          const V*)
{
    throw NotSupported(__FILE__, __LINE__, "csr::spmv with strategy sparselib", "the host platform of HIP");
}
