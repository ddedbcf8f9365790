// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// The vendor's sparse library through its generic interface, which cuSPARSE and hipSPARSE share but for the prefix:
// SPRUCE_SPARSE(name) and SPRUCE_SPARSE_CONSTANT(NAME). Included inside namespace sparselib.

inline void throw_on_sparse_error(SPRUCE_SPARSE(Status_t) status, const char* what)
{
    if (status != SPRUCE_SPARSE_CONSTANT(STATUS_SUCCESS)) {
        throw sparselib_error(__FILE__, __LINE__, what, static_cast<int64>(status));
    }
}

inline void* create_handle(void* stream)
{
    SPRUCE_SPARSE(Handle_t) handle{};
    throw_on_sparse_error(SPRUCE_SPARSE(Create)(&handle), "a handle of the sparse library");
    throw_on_sparse_error(SPRUCE_SPARSE(SetStream)(handle, static_cast<stream_type>(stream)), "the handle's stream");
    throw_on_sparse_error(SPRUCE_SPARSE(SetPointerMode)(handle, SPRUCE_SPARSE_CONSTANT(POINTER_MODE_DEVICE)),
                          "the handle's pointer mode");
    return handle;
}

inline void destroy_handle(void* handle)
{
    static_cast<void>(SPRUCE_SPARSE(Destroy)(static_cast<SPRUCE_SPARSE(Handle_t)>(handle)));
}

/// x = alpha a b + beta x; null stands for alpha = 1 and beta = 0. The library takes one column at a time here, so that
/// strides do not matter to it.
template <typename V, typename I>
void spmv(const DeviceExecutor& exec, const matrix::Csr<V, I>& a, const matrix::Dense<V>& b, matrix::Dense<V>& x,
          const V* alpha, const V* beta)
{
    if (b.get_stride() != 1 || x.get_stride() != 1) {
        throw NotSupported(__FILE__, __LINE__, "csr::spmv with strategy sparselib",
                           "several right-hand sides or strided vectors");
    }
    const auto num_rows = static_cast<int64>(a.get_size()[0]);
    const auto num_cols = static_cast<int64>(a.get_size()[1]);
    if (num_rows == 0) {
        return;
    }
    const auto handle = static_cast<SPRUCE_SPARSE(Handle_t)>(exec.get_raw_sparselib_handle());
    const auto shared_exec = exec.shared_from_this();
    array<V> constants{shared_exec};
    if (!alpha || !beta) {
        constants = array<V>{shared_exec, {one<V>(), zero<V>()}};
        alpha = alpha ? alpha : constants.get_const_data();
        beta = beta ? beta : constants.get_const_data() + 1;
    }
    constexpr auto index_type = sizeof(I) == 4 ? SPRUCE_SPARSE_CONSTANT(INDEX_32I) : SPRUCE_SPARSE_CONSTANT(INDEX_64I);
    SPRUCE_SPARSE(SpMatDescr_t) matrix{};
    SPRUCE_SPARSE(DnVecDescr_t) input{};
    SPRUCE_SPARSE(DnVecDescr_t) output{};
    throw_on_sparse_error(
        SPRUCE_SPARSE(CreateCsr)(&matrix, num_rows, num_cols, static_cast<int64>(a.get_num_stored_elements()),
                                 const_cast<I*>(a.get_const_row_ptrs()), const_cast<I*>(a.get_const_col_idxs()),
                                 const_cast<V*>(a.get_const_values()), index_type, index_type,
                                 SPRUCE_SPARSE_CONSTANT(INDEX_BASE_ZERO), data_type<V>),
        "a matrix for the sparse library");
    throw_on_sparse_error(
        SPRUCE_SPARSE(CreateDnVec)(&input, num_cols, const_cast<V*>(b.get_const_values()), data_type<V>),
        "a vector for the sparse library");
    throw_on_sparse_error(SPRUCE_SPARSE(CreateDnVec)(&output, num_rows, x.get_values(), data_type<V>),
                          "a vector for the sparse library");
    std::size_t buffer_size{};
    throw_on_sparse_error(SPRUCE_SPARSE(SpMV_bufferSize)(handle, SPRUCE_SPARSE_CONSTANT(OPERATION_NON_TRANSPOSE), alpha,
                                                         matrix, input, beta, output, data_type<V>, spmv_default,
                                                         &buffer_size),
                          "the workspace of a product");
    array<char> buffer{shared_exec, buffer_size};
    throw_on_sparse_error(SPRUCE_SPARSE(SpMV)(handle, SPRUCE_SPARSE_CONSTANT(OPERATION_NON_TRANSPOSE), alpha, matrix,
                                              input, beta, output, data_type<V>, spmv_default, buffer.get_data()),
                          "a product");
    exec.count_launch();
    static_cast<void>(SPRUCE_SPARSE(DestroySpMat)(matrix));
    static_cast<void>(SPRUCE_SPARSE(DestroyDnVec)(input));
    static_cast<void>(SPRUCE_SPARSE(DestroyDnVec)(output));
}
