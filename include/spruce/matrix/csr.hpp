// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <spruce/base/array.hpp>
#include <spruce/base/lin_op.hpp>
#include <spruce/base/math.hpp>
#include <spruce/matrix/formats.hpp>
#include <spruce/matrix/permutation.hpp>

namespace spruce {

template <typename IndexType>
class index_set;

namespace matrix {

namespace csr {
/// Lists the algorithms of the product with a vector.
enum class spmv_algorithm { classical, load_balance, merge_path, sparselib };
}  // namespace csr

/// Stores a sparse matrix in compressed sparse row format.
///
/// Row i holds the entries row_ptrs[i] to row_ptrs[i + 1] - 1 of col_idxs and values. Columns
/// within a row need not be sorted unless an operation requires it. Several entries may have the
/// same row and column: all are stored, and products and extract_diagonal() add them up. Operations
/// on values, such as compute_absolute(), treat each entry separately.
///
/// Conversions, transposes and sorting are bitwise repeatable on every executor, on omp for a fixed
/// number of threads. So is apply() with the strategies classical, merge_path and automatical. With
/// load_balance, apply() is bitwise repeatable on hosts only; with sparselib, it is as far as the
/// vendor's library is. On GPUs, classical multiplies several columns of b at a time, merge_path
/// and load_balance one after the other.
template <typename ValueType = default_precision, typename IndexType = int32>
class SPRUCE_EXPORT Csr
    : public EnableLinOp<Csr<ValueType, IndexType>>,
      public ConvertibleToEach<Csr<next_precision<ValueType>, IndexType>, Dense<ValueType>, Coo<ValueType, IndexType>,
                               Ell<ValueType, IndexType>, Sellp<ValueType, IndexType>, Hybrid<ValueType, IndexType>,
                               Fbcsr<ValueType, IndexType>, SparsityCsr<ValueType, IndexType>>,
      public ReadableFromMatrixData<ValueType, IndexType>,
      public WritableToMatrixData<ValueType, IndexType>,
      public DiagonalExtractable<ValueType>,
      public EnableAbsoluteComputation<remove_complex<Csr<ValueType, IndexType>>>,
      public ScaledIdentityAddable,
      public Permutable<IndexType>,
      public Transposable {
    friend class EnablePolymorphicObject<Csr, LinOp>;
    friend class Csr<next_precision<ValueType>, IndexType>;
    friend class Dense<ValueType>;
    friend class Coo<ValueType, IndexType>;
    friend class Diagonal<ValueType>;
    friend class Ell<ValueType, IndexType>;
    friend class Hybrid<ValueType, IndexType>;
    friend class Sellp<ValueType, IndexType>;
    friend class Fbcsr<ValueType, IndexType>;
    friend class SparsityCsr<ValueType, IndexType>;
    using conversions =
        ConvertibleToEach<Csr<next_precision<ValueType>, IndexType>, Dense<ValueType>, Coo<ValueType, IndexType>,
                          Ell<ValueType, IndexType>, Sellp<ValueType, IndexType>, Hybrid<ValueType, IndexType>,
                          Fbcsr<ValueType, IndexType>, SparsityCsr<ValueType, IndexType>>;

public:
    using EnableLinOp<Csr>::convert_to;
    using EnableLinOp<Csr>::move_to;
    using conversions::convert_to;
    using conversions::move_to;
    using ReadableFromMatrixData<ValueType, IndexType>::read;

    using value_type = ValueType;
    using index_type = IndexType;
    using transposed_type = Csr;
    using mat_data = matrix_data<ValueType, IndexType>;
    using absolute_type = remove_complex<Csr>;

    /// Chooses the algorithm of apply() and prepares its data (srow) from the row pointers.
    ///
    /// A strategy keeps data of the matrix that it processed last, so each matrix has its own copy.
    /// Functions that call process() are not thread-safe: set_strategy(), read(), copies, moves and
    /// conversions into the matrix. apply() only reads the strategy, so several threads can apply
    /// one matrix at the same time. The const functions of a strategy that an application defines
    /// must therefore not change anything.
    class SPRUCE_EXPORT strategy_type {
    public:
        explicit strategy_type(std::string name) : name_{std::move(name)} {}
        virtual ~strategy_type();
        std::string get_name() const { return name_; }
        /// Returns the algorithm for the matrix that process() saw last.
        virtual csr::spmv_algorithm get_algorithm() const noexcept { return csr::spmv_algorithm::classical; }
        /// Resizes and fills srow from the row pointers. The product runs on the executor of srow.
        virtual void process(const array<index_type>& row_ptrs, array<index_type>* srow) = 0;
        /// Returns the number of elements of srow before process() for a matrix with nnz entries.
        virtual int64_t clac_size(const int64_t nnz) = 0;
        virtual std::shared_ptr<strategy_type> copy() = 0;
        /// Returns the number of entries of the matrix that process() saw last. Allocated space for
        /// further entries does not count. The result is negative if there was no such matrix, or
        /// if the algorithm does not need the number.
        virtual int64_t get_num_entries() const noexcept { return -1; }
        /// Returns the number of entries of the longest row of the matrix that process() saw last.
        /// The result is negative if the strategy does not know it.
        virtual int64_t get_max_length_per_row() const noexcept { return -1; }
        /// Returns the number of blocks of whole rows that process() stored in srow for the
        /// classical algorithm; 0 if there are none. srow then holds the first row of each block
        /// and the end of the last one, followed by the first entries of these rows.
        virtual int64_t get_num_row_blocks() const noexcept { return 0; }
        /// Returns the number of entries and row ends of each tile whose first row process() stored
        /// in srow for the merge_path algorithm; 0 if there are none.
        virtual int64_t get_num_tile_items() const noexcept { return 0; }

    protected:
        void set_name(std::string name) { name_ = std::move(name); }
        /// Reads the number of entries from the row pointers, on their executor; 0 if there are no
        /// row pointers.
        static size_type count_entries(const array<index_type>& row_ptrs);

    private:
        std::string name_;
    };

private:
    /// Implements a strategy that prepares nothing.
    template <csr::spmv_algorithm Algorithm, typename Concrete>
    class plain_strategy : public strategy_type {
    public:
        using strategy_type::strategy_type;
        csr::spmv_algorithm get_algorithm() const noexcept override { return Algorithm; }
        void process(const array<index_type>&, array<index_type>*) override {}
        int64_t clac_size(const int64_t) override { return 0; }
        std::shared_ptr<strategy_type> copy() override
        {
            return std::make_shared<Concrete>(static_cast<const Concrete&>(*this));
        }
    };
    /// Passes the product to the vendor's library, which requires the number of entries. The number
    /// is stored, because reading it before each product would take as long as a small product.
    template <typename Concrete>
    class library_strategy : public plain_strategy<csr::spmv_algorithm::sparselib, Concrete> {
    public:
        using plain_strategy<csr::spmv_algorithm::sparselib, Concrete>::plain_strategy;
        void process(const array<index_type>& row_ptrs, array<index_type>*) override
        {
            num_entries_ = static_cast<int64_t>(this->count_entries(row_ptrs));
        }
        int64_t get_num_entries() const noexcept override { return num_entries_; }

    private:
        int64_t num_entries_{-1};
    };

public:
    /// Assigns whole rows to each block of threads, as many as fill its memory for their products.
    /// After rows have been changed in place, results are still correct, but products may be slow.
    class SPRUCE_EXPORT classical : public plain_strategy<csr::spmv_algorithm::classical, classical> {
    public:
        classical() : plain_strategy<csr::spmv_algorithm::classical, classical>("classical") {}
        void process(const array<index_type>& row_ptrs, array<index_type>* srow) override;
        int64_t get_max_length_per_row() const noexcept override { return max_length_per_row_; }
        int64_t get_num_row_blocks() const noexcept override { return num_row_blocks_; }

    private:
        int64_t max_length_per_row_{-1};
        int64_t num_row_blocks_{};
    };

    /// Distributes rows and entries together evenly (Merrill and Garland 2016).
    class SPRUCE_EXPORT merge_path : public plain_strategy<csr::spmv_algorithm::merge_path, merge_path> {
    public:
        merge_path() : plain_strategy<csr::spmv_algorithm::merge_path, merge_path>("merge_path") {}
        void process(const array<index_type>& row_ptrs, array<index_type>* srow) override;
        int64_t get_num_tile_items() const noexcept override { return num_tile_items_; }

    private:
        int64_t num_tile_items_{};
    };

    /// Uses the vendor's library.
    class sparselib : public library_strategy<sparselib> {
    public:
        sparselib() : library_strategy<sparselib>("sparselib") {}
    };
    /// Uses the vendor's library, under the older name of this strategy.
    class cusparse : public library_strategy<cusparse> {
    public:
        cusparse() : library_strategy<cusparse>("cusparse") {}
    };

    /// Assigns equally many entries to each block of threads. Partial sums of a row that several
    /// blocks share are added atomically on GPUs, so results are not bitwise repeatable there. On
    /// GPUs the library chooses the number of entries per block. On hosts srow holds the row at
    /// which each of at most nwarps parts begins; a part has about warp_size entries or more.
    /// Products on hosts do not use it.
    class SPRUCE_EXPORT load_balance : public strategy_type {
    public:
        load_balance();
        explicit load_balance(std::shared_ptr<const CudaExecutor> exec);
        explicit load_balance(std::shared_ptr<const HipExecutor> exec);
        explicit load_balance(std::shared_ptr<const DpcppExecutor>) : load_balance{} {}
        load_balance(int64_t nwarps, int warp_size = 32, bool cuda_strategy = true, std::string strategy_name = "none");
        csr::spmv_algorithm get_algorithm() const noexcept override { return csr::spmv_algorithm::load_balance; }
        void process(const array<index_type>& row_ptrs, array<index_type>* srow) override;
        /// Returns the number of parts of a matrix with nnz entries: the length of srow on hosts.
        int64_t clac_size(const int64_t nnz) override;
        std::shared_ptr<strategy_type> copy() override { return std::make_shared<load_balance>(*this); }

    private:
        int64_t nwarps_;
        int64_t warp_size_;
    };

    /// Chooses a strategy for the matrix, and takes the name of that strategy.
    class SPRUCE_EXPORT automatical : public strategy_type {
    public:
        automatical();
        explicit automatical(std::shared_ptr<const CudaExecutor> exec);
        explicit automatical(std::shared_ptr<const HipExecutor> exec);
        explicit automatical(std::shared_ptr<const DpcppExecutor>) : automatical{} {}
        automatical(int64_t nwarps, int warp_size = 32, bool cuda_strategy = true, std::string strategy_name = "none");
        csr::spmv_algorithm get_algorithm() const noexcept override { return algorithm_; }
        void process(const array<index_type>& row_ptrs, array<index_type>* srow) override;
        int64_t clac_size(const int64_t) override { return 0; }
        std::shared_ptr<strategy_type> copy() override { return std::make_shared<automatical>(*this); }
        int64_t get_max_length_per_row() const noexcept override { return max_length_per_row_; }
        int64_t get_num_row_blocks() const noexcept override { return num_row_blocks_; }
        int64_t get_num_tile_items() const noexcept override { return num_tile_items_; }

    private:
        csr::spmv_algorithm algorithm_{csr::spmv_algorithm::classical};
        int64_t max_length_per_row_{-1};
        int64_t num_row_blocks_{};
        int64_t num_tile_items_{};
    };

    /// Creates a matrix without entries.
    /// @param num_nonzeros  number of entries for which memory is allocated
    /// @param strategy  null: classical on a host, automatical on a GPU
    /// @throws OverflowError  if IndexType cannot count the rows or columns
    static std::unique_ptr<Csr> create(std::shared_ptr<const Executor> exec, const dim<2>& size = {},
                                       size_type num_nonzeros = 0, std::shared_ptr<strategy_type> strategy = nullptr);
    static std::unique_ptr<Csr> create(std::shared_ptr<const Executor> exec, std::shared_ptr<strategy_type> strategy);
    /// Creates a matrix that takes the arrays, or views them if they are views. Their contents are
    /// not checked.
    /// @throws ValueMismatch  if values and columns differ in length, or row_ptrs does not hold
    ///     rows + 1 elements
    static std::unique_ptr<Csr> create(std::shared_ptr<const Executor> exec, const dim<2>& size,
                                       array<value_type> values, array<index_type> col_idxs, array<index_type> row_ptrs,
                                       std::shared_ptr<strategy_type> strategy = nullptr);
    [[deprecated("create(exec, size, array, array, array)")]] static std::unique_ptr<Csr> create(
        std::shared_ptr<const Executor> exec, const dim<2>& size, std::initializer_list<value_type> values,
        std::initializer_list<index_type> col_idxs, std::initializer_list<index_type> row_ptrs)
    {
        return create(exec, size, array<value_type>{exec, values}, array<index_type>{exec, col_idxs},
                      array<index_type>{exec, row_ptrs});
    }
    static std::unique_ptr<const Csr> create_const(std::shared_ptr<const Executor> exec, const dim<2>& size,
                                                   detail::const_array_view<ValueType>&& values,
                                                   detail::const_array_view<IndexType>&& col_idxs,
                                                   detail::const_array_view<IndexType>&& row_ptrs,
                                                   std::shared_ptr<strategy_type> strategy = nullptr);

    Csr(const Csr& other);
    Csr(Csr&& other);
    Csr& operator=(const Csr& other);
    Csr& operator=(Csr&& other);
    ~Csr() override;

    void convert_to(Csr<next_precision<ValueType>, IndexType>* result) const override;
    void convert_to(Dense<ValueType>* result) const override;
    void convert_to(Coo<ValueType, IndexType>* result) const override;
    void convert_to(Ell<ValueType, IndexType>* result) const override;
    void convert_to(Sellp<ValueType, IndexType>* result) const override;
    void convert_to(Hybrid<ValueType, IndexType>* result) const override;
    /// Converts to blocks of the size that result has.
    /// @throws BlockSizeError  if the block size does not divide the size of this matrix
    void convert_to(Fbcsr<ValueType, IndexType>* result) const override;
    /// Keeps the pattern, with value one.
    void convert_to(SparsityCsr<ValueType, IndexType>* result) const override;

    void read(const mat_data& data) override;
    void read(const device_matrix_data<ValueType, IndexType>& data) override;
    void read(device_matrix_data<ValueType, IndexType>&& data) override;
    void write(mat_data& data) const override;

    /// Returns the transpose. Columns within its rows are sorted.
    std::unique_ptr<LinOp> transpose() const override;
    std::unique_ptr<LinOp> conj_transpose() const override;

    /// Returns the diagonal, adding up entries with the same row and column. The order of three or
    /// more summands is fixed on reference only.
    std::unique_ptr<Diagonal<ValueType>> extract_diagonal() const override;

    // Products and sums of sparse matrices. The result has sorted columns and a structural pattern:
    // entries that cancel are stored. No row of b or d may have a column twice, which is not
    // checked: matrix_data::sum_duplicates() adds such entries up. Operands may be on any executor.
    // Results are bitwise repeatable.
    // apply() of sparse operands computes products and sums, too: a->apply(b, c) computes c = a b,
    // a->apply(alpha, b, beta, c) computes c = alpha a b + beta c, and with an Identity for b it
    // computes c = alpha a + beta c. The pattern of c is replaced by that of the result.
    // Rows are computed one by one with hash tables (Gustavson 1978; Nagasaka, Nukada and Matsuoka
    // 2017). The work is proportional to the number of products of entries.
    // @throws DimensionMismatch  if sizes do not match
    // @throws OverflowError  if the result has too many entries for IndexType

    class multiply_reuse_info;
    class multiply_add_reuse_info;
    class scale_add_reuse_info;

    /// Computes this * b.
    std::unique_ptr<Csr> multiply(ptr_param<const Csr> b) const;
    /// Computes this * b, and returns an object that recomputes it for other values in the same
    /// patterns.
    std::pair<std::unique_ptr<Csr>, multiply_reuse_info> multiply_reuse(ptr_param<const Csr> b) const;

    /// Computes alpha * this * b + beta * d.
    std::unique_ptr<Csr> multiply_add(ptr_param<const Dense<ValueType>> alpha, ptr_param<const Csr> b,
                                      ptr_param<const Dense<ValueType>> beta, ptr_param<const Csr> d) const;
    std::pair<std::unique_ptr<Csr>, multiply_add_reuse_info> multiply_add_reuse(ptr_param<const Dense<ValueType>> alpha,
                                                                                ptr_param<const Csr> b,
                                                                                ptr_param<const Dense<ValueType>> beta,
                                                                                ptr_param<const Csr> d) const;

    /// Computes alpha * this + beta * b.
    std::unique_ptr<Csr> scale_add(ptr_param<const Dense<ValueType>> alpha, ptr_param<const Dense<ValueType>> beta,
                                   ptr_param<const Csr> b) const;
    std::pair<std::unique_ptr<Csr>, scale_add_reuse_info> add_scale_reuse(ptr_param<const Dense<ValueType>> alpha,
                                                                          ptr_param<const Dense<ValueType>> beta,
                                                                          ptr_param<const Csr> b) const;

    std::unique_ptr<absolute_type> compute_absolute() const override;
    void compute_absolute_inplace() override;

    // Permutations, on the executor of the matrix. If columns are permuted, the columns within rows
    // of the result are sorted. Otherwise entries keep their order within the row.
    // @throws DimensionMismatch  if the permutation's length is not the number of rows or columns
    //     that it permutes
    std::unique_ptr<LinOp> permute(const array<IndexType>* permutation) const override;
    std::unique_ptr<LinOp> inverse_permute(const array<IndexType>* permutation) const override;
    std::unique_ptr<LinOp> row_permute(const array<IndexType>* permutation) const override;
    std::unique_ptr<LinOp> column_permute(const array<IndexType>* permutation) const override;
    std::unique_ptr<LinOp> inverse_row_permute(const array<IndexType>* permutation) const override;
    std::unique_ptr<LinOp> inverse_column_permute(const array<IndexType>* permutation) const override;

    // Permutations as matrices, which may be on any executor. The result is on the executor of the
    // matrix. If columns are permuted, the columns within rows of the result are sorted. Otherwise
    // entries keep their order within the row.
    // @throws DimensionMismatch  if a permutation's size is not the number of rows or columns that
    //     it permutes

    class permuting_reuse_info;

    std::unique_ptr<Csr> permute(ptr_param<const Permutation<IndexType>> permutation,
                                 permute_mode mode = permute_mode::symmetric) const;
    /// Returns B with B(i, j) = A(row_i, column_j), or with invert B(row_i, column_j) = A(i, j).
    std::unique_ptr<Csr> permute(ptr_param<const Permutation<IndexType>> row_permutation,
                                 ptr_param<const Permutation<IndexType>> column_permutation, bool invert = false) const;
    /// Returns the permuted and scaled matrix B, where s are the factors and p the indices of the
    /// permutation. For rows B(i, j) = s_(p_i) A(p_i, j), inverse B(p_i, j) = A(i, j) / s_(p_i).
    /// For columns B(i, j) = s_(p_j) A(i, p_j), inverse B(i, p_j) = A(i, j) * (1 / s_(p_j)).
    std::unique_ptr<Csr> scale_permute(ptr_param<const ScaledPermutation<ValueType, IndexType>> permutation,
                                       permute_mode mode = permute_mode::symmetric) const;
    std::unique_ptr<Csr> scale_permute(ptr_param<const ScaledPermutation<ValueType, IndexType>> row_permutation,
                                       ptr_param<const ScaledPermutation<ValueType, IndexType>> column_permutation,
                                       bool invert = false) const;

    /// Returns the transpose or the permuted matrix, and an object that recomputes its values for
    /// other values in the same pattern.
    std::pair<std::unique_ptr<Csr>, permuting_reuse_info> transpose_reuse() const;
    std::pair<std::unique_ptr<Csr>, permuting_reuse_info> permute_reuse(
        ptr_param<const Permutation<IndexType>> permutation, permute_mode mode = permute_mode::symmetric) const;
    std::pair<std::unique_ptr<Csr>, permuting_reuse_info> permute_reuse(
        ptr_param<const Permutation<IndexType>> row_permutation,
        ptr_param<const Permutation<IndexType>> column_permutation, bool invert = false) const;

    /// Returns a copy of the block of these rows and columns. Entries keep their order.
    /// @throws OutOfBoundsError  if the block is not inside the matrix
    std::unique_ptr<Csr> create_submatrix(const span& rows, const span& columns) const;
    /// Returns a copy of the entries in these rows and columns. Entries keep their order. The sets
    /// may be on any executor. For each entry of the rows, the contiguous ranges of columns are
    /// searched.
    /// @throws OutOfBoundsError  if a set has a larger index range than there are rows or columns
    std::unique_ptr<Csr> create_submatrix(const index_set<IndexType>& rows, const index_set<IndexType>& columns) const;

    /// Computes the number of entries of the longest row in one pass over the row pointers.
    size_type compute_max_row_length() const;
    /// Computes the number of entries divided by the number of rows; zero if there are no rows.
    double compute_mean_row_length() const;

    /// Sorts the entries of each row by column. The sort is stable.
    void sort_by_column_index();
    bool is_sorted_by_column_index() const;

    /// Returns a view of the values as a column vector. The matrix must outlive the view.
    std::unique_ptr<Dense<ValueType>> create_value_view();
    std::unique_ptr<const Dense<ValueType>> create_const_value_view() const;
    /// Computes this = alpha this with a 1 x 1 alpha, which may be real if values are complex.
    void scale(ptr_param<const LinOp> alpha);
    /// Computes this = this / alpha with a 1 x 1 alpha, which may be real if values are complex.
    void inv_scale(ptr_param<const LinOp> alpha);

    value_type* get_values() noexcept { return values_.get_data(); }
    const value_type* get_const_values() const noexcept { return values_.get_const_data(); }
    memory_extent get_memory_extent() const noexcept override { return detail::extent_of(values_); }
    index_type* get_col_idxs() noexcept { return col_idxs_.get_data(); }
    const index_type* get_const_col_idxs() const noexcept { return col_idxs_.get_const_data(); }
    index_type* get_row_ptrs() noexcept { return row_ptrs_.get_data(); }
    const index_type* get_const_row_ptrs() const noexcept { return row_ptrs_.get_const_data(); }
    index_type* get_srow() noexcept { return srow_.get_data(); }
    const index_type* get_const_srow() const noexcept { return srow_.get_const_data(); }
    size_type get_num_srow_elements() const noexcept { return srow_.get_size(); }
    size_type get_num_stored_elements() const noexcept { return values_.get_size(); }
    std::shared_ptr<strategy_type> get_strategy() const noexcept { return strategy_; }
    /// Stores a copy of the strategy and prepares its data. It must be called again after row
    /// pointers were written directly.
    void set_strategy(std::shared_ptr<strategy_type> strategy);

protected:
    bool has_static_launches() const override;

    explicit Csr(std::shared_ptr<const Executor> exec, const dim<2>& size = {}, size_type num_nonzeros = 0,
                 std::shared_ptr<strategy_type> strategy = nullptr);
    Csr(std::shared_ptr<const Executor> exec, const dim<2>& size, array<value_type> values, array<index_type> col_idxs,
        array<index_type> row_ptrs, std::shared_ptr<strategy_type> strategy);

    /// Returns true for sparse x: such a result is computed in other memory, which x takes at the
    /// end.
    bool applies_in_place(const LinOp* x) const override { return dynamic_cast<const Csr*>(x) != nullptr; }
    /// Computes x = this b. b and x are Dense of any value type, in either precision: see
    /// LinOp::apply().
    void apply_impl(const LinOp* b, LinOp* x) const override;
    void apply_impl(const LinOp* alpha, const LinOp* b, const LinOp* beta, LinOp* x) const override;

private:
    /// Computes this = a I + b this for 1 x 1 matrices a and b.
    /// @throws UnsupportedMatrixProperty  if a diagonal entry is not stored; nothing is changed
    ///     then
    void add_scaled_identity_impl(const LinOp* a, const LinOp* b) override;
    /// Returns the matrix whose row i is row rows[i] of this matrix, with column j renumbered to
    /// columns[j]. A null pointer leaves rows or columns unchanged. rows has as many elements as
    /// the matrix has rows, or num_rows elements.
    std::unique_ptr<Csr> rearrange(const IndexType* rows, const IndexType* columns) const
    {
        return this->rearrange(rows, this->get_size()[0], columns);
    }
    std::unique_ptr<Csr> rearrange(const IndexType* rows, size_type num_rows, const IndexType* columns) const;
    /// Returns the pattern of move(matrix), and the source of each of its values.
    template <typename Move>
    std::pair<std::unique_ptr<Csr>, permuting_reuse_info> rearrange_reuse(Move move) const;

    std::shared_ptr<strategy_type> default_strategy() const;
    /// Returns a strategy like the given one for a matrix on this executor.
    std::shared_ptr<strategy_type> adapt_strategy(const strategy_type& other, const Executor& from) const;
    /// Holds a strategy and its data for one matrix.
    struct prepared_strategy {
        std::shared_ptr<strategy_type> strategy;
        array<index_type> srow;
    };
    /// Returns a copy of the strategy, prepared on this executor for a matrix with these row
    /// pointers. The matrix is not changed.
    prepared_strategy prepare_strategy(const strategy_type& strategy, const array<index_type>& row_ptrs,
                                       size_type num_nonzeros) const;
    void set_prepared(prepared_strategy&& prepared) noexcept;
    /// Prepares the strategy's data for the present row pointers.
    void update_srow();
    /// Replaces this matrix by that of the arrays, which may be on any executor. If memory cannot
    /// be allocated, nothing is changed.
    void assign_arrays(const dim<2>& size, array<value_type>&& values, array<index_type>&& col_idxs,
                       array<index_type>&& row_ptrs);
    /// Copies values and columns that are not given as rvalues.
    template <typename Values, typename ColIdxs>
    void take_or_copy(const dim<2>& size, Values&& values, ColIdxs&& col_idxs, array<index_type>&& row_ptrs);
    /// Takes the arrays of data if it is an rvalue, and copies them otherwise.
    template <typename Data>
    void read_impl(Data&& data);
    std::unique_ptr<LinOp> transpose_impl(bool conjugate) const;
    /// Computes alpha this b + beta d. If alpha, beta and d are null, computes this b.
    std::unique_ptr<Csr> multiply_impl(const Dense<ValueType>* alpha, const Csr& b, const Dense<ValueType>* beta,
                                       const Csr* d, std::shared_ptr<strategy_type> strategy) const;
    std::unique_ptr<Csr> scale_add_impl(const Dense<ValueType>& alpha, const Dense<ValueType>& beta, const Csr& b,
                                        std::shared_ptr<strategy_type> strategy) const;

    std::shared_ptr<strategy_type> strategy_;
    array<value_type> values_;
    array<index_type> col_idxs_;
    array<index_type> row_ptrs_;
    array<index_type> srow_;
};

/// Recomputes the values of a rearranged matrix: entry i of the result is entry value_permutation_i
/// of the matrix.
template <typename ValueType, typename IndexType>
class SPRUCE_EXPORT Csr<ValueType, IndexType>::permuting_reuse_info {
    friend class Csr;

public:
    permuting_reuse_info() = default;
    explicit permuting_reuse_info(std::unique_ptr<Permutation<IndexType>> value_permutation)
        : value_permutation{std::move(value_permutation)}
    {}

    /// Writes the values of input to their places in output. Both must have the patterns of the
    /// first time. Only sizes and numbers of entries are checked: if another pattern has equally
    /// many entries, values are written to wrong places.
    /// @throws DimensionMismatch  if input or output do not have the size of the first time; if
    ///     input has fewer entries than the first time, or output a different number. The sizes are
    ///     not known if value_permutation was given to the constructor.
    void update_values(ptr_param<const Csr> input, ptr_param<Csr> output) const;

    std::unique_ptr<Permutation<IndexType>> value_permutation;

private:
    struct sizes {
        dim<2> input;
        dim<2> output;
    };
    std::optional<sizes> sizes_;
};

/// Holds the size and the number of entries of a pattern, which update_values() of the reuse
/// classes checks. Comparing the columns would take as long as the update. If columns or row_ptrs
/// differ from those of the first time, results are undefined.
struct csr_pattern_size {
    dim<2> size;
    size_type num_stored_elements;
};

/// Recomputes a product whose pattern is known.
template <typename ValueType, typename IndexType>
class SPRUCE_EXPORT Csr<ValueType, IndexType>::multiply_reuse_info {
    friend class Csr;

public:
    /// Computes result = a * b.
    /// @throws DimensionMismatch  if a size or number of entries differs from that of the first
    ///     time
    void update_values(ptr_param<const Csr> a, ptr_param<const Csr> b, ptr_param<Csr> result) const;

private:
    csr_pattern_size a_;
    csr_pattern_size b_;
    csr_pattern_size result_;
};

/// Holds data that multiply_add_reuse() keeps for matrices with the same patterns and other values.
template <typename ValueType, typename IndexType>
class SPRUCE_EXPORT Csr<ValueType, IndexType>::multiply_add_reuse_info {
    friend class Csr;

public:
    /// Computes result = alpha * a * b + beta * d.
    /// @throws DimensionMismatch  if a size or number of entries differs from that of the first
    ///     time
    void update_values(ptr_param<const Csr> a, ptr_param<const Dense<ValueType>> alpha, ptr_param<const Csr> b,
                       ptr_param<const Dense<ValueType>> beta, ptr_param<const Csr> d, ptr_param<Csr> result) const;

private:
    csr_pattern_size a_;
    csr_pattern_size b_;
    csr_pattern_size d_;
    csr_pattern_size result_;
};

/// Holds data that add_scale_reuse() keeps for matrices with the same patterns and other values.
template <typename ValueType, typename IndexType>
class SPRUCE_EXPORT Csr<ValueType, IndexType>::scale_add_reuse_info {
    friend class Csr;

public:
    /// Computes result = alpha * a + beta * b.
    /// @throws DimensionMismatch  if a size or number of entries differs from that of the first
    ///     time
    void update_values(ptr_param<const Dense<ValueType>> alpha, ptr_param<const Csr> a,
                       ptr_param<const Dense<ValueType>> beta, ptr_param<const Csr> b, ptr_param<Csr> result) const;

private:
    csr_pattern_size a_;
    csr_pattern_size b_;
    csr_pattern_size result_;
};

}  // namespace matrix
}  // namespace spruce
