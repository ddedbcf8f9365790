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
/// How the product with a vector deals its work out.
enum class spmv_algorithm { classical, load_balance, merge_path, sparselib };
}  // namespace csr

/// A sparse matrix, compressed by rows: row i holds entries row_ptrs[i] to row_ptrs[i + 1] - 1 of col_idxs and values.
/// Columns within a row need not be sorted, and several entries may be at one place, unless an
/// operation says otherwise: they are kept as they are, and products and extract_diagonal() add
/// them up. Operations on values, such as compute_absolute(), treat each entry separately.
/// Bitwise repeatable on every executor, on omp for a fixed number of threads: conversions, transposes, sorting, and apply()
/// with the strategies classical, merge_path and automatical; with load_balance on hosts; with sparselib as far as the vendor's
/// library is. GPUs take several columns at a time with classical, one after the other with merge_path and load_balance.
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

    /// Which algorithm apply() uses, and the data that it prepares from the row pointers (srow).
    /// A strategy keeps data of the matrix that it has processed last, so each matrix has a copy of its own. Functions that call
    /// process() are for one thread at a time: set_strategy(), read(), copies, moves and conversions into the matrix. apply() only
    /// reads the strategy, so several threads can apply one matrix at the same time. A strategy that an application defines may not
    /// change anything in its const functions for that.
    class SPRUCE_EXPORT strategy_type {
    public:
        explicit strategy_type(std::string name) : name_{std::move(name)} {}
        virtual ~strategy_type();
        std::string get_name() const { return name_; }
        /// The algorithm to run for the matrix that process() saw last.
        virtual csr::spmv_algorithm get_algorithm() const noexcept { return csr::spmv_algorithm::classical; }
        /// Sizes and fills srow, on whose executor the product will run, from the row pointers.
        virtual void process(const array<index_type>& row_ptrs, array<index_type>* srow) = 0;
        /// Elements that srow has before process() for a matrix with nnz entries.
        virtual int64_t clac_size(const int64_t nnz) = 0;
        virtual std::shared_ptr<strategy_type> copy() = 0;
        /// The entries, without the room for more, of the matrix that process() saw last; negative if there was none, or if the
        /// algorithm does without the number.
        virtual int64_t get_num_entries() const noexcept { return -1; }
        /// The entries of the longest row of the matrix that process() saw last; negative if the strategy does not know.
        virtual int64_t get_max_length_per_row() const noexcept { return -1; }
        /// Blocks of whole rows, for the classical algorithm, that process() put into srow: for each block and for the end of the last
        /// one the first row, and after all of these the first entries. 0 if there are none.
        virtual int64_t get_num_row_blocks() const noexcept { return 0; }

    protected:
        void set_name(std::string name) { name_ = std::move(name); }
        /// Reads the number of entries where the row pointers are; 0 if there are none of these.
        static size_type count_entries(const array<index_type>& row_ptrs);

    private:
        std::string name_;
    };

private:
    /// A strategy that prepares nothing.
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
    /// The vendor's library wants to be told the number of entries; reading it before each product would cost as much as a
    /// small product.
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
    /// Whole rows for each block of threads, as many as fill the memory that it has for their products. Right, if slow, also after
    /// rows have been changed in place.
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

    /// Rows and entries together dealt out evenly (Merrill and Garland 2016).
    class SPRUCE_EXPORT merge_path : public plain_strategy<csr::spmv_algorithm::merge_path, merge_path> {
    public:
        merge_path() : plain_strategy<csr::spmv_algorithm::merge_path, merge_path>("merge_path") {}
        void process(const array<index_type>& row_ptrs, array<index_type>* srow) override;
    };

    /// The vendor's library.
    class sparselib : public library_strategy<sparselib> {
    public:
        sparselib() : library_strategy<sparselib>("sparselib") {}
    };
    /// The same under its older name.
    class cusparse : public library_strategy<cusparse> {
    public:
        cusparse() : library_strategy<cusparse>("cusparse") {}
    };

    /// The same number of entries for each block of threads; sums of shared rows are added atomically on GPUs, so results
    /// there are not bitwise repeatable. On GPUs the library chooses how many entries a block gets.
    /// On hosts srow holds the row where each of at most nwarps parts begins; a part has about
    /// warp_size entries or more. Products on hosts do not use it.
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

    /// Looks at the matrix and chooses; its name becomes that of the choice.
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

    private:
        csr::spmv_algorithm algorithm_{csr::spmv_algorithm::classical};
        int64_t max_length_per_row_{-1};
        int64_t num_row_blocks_{};
    };

    /// @param num_nonzeros  entries to make room for  @param strategy  null: classical on a host, automatical on a GPU
    /// @throws OverflowError  if IndexType cannot count the rows or columns
    static std::unique_ptr<Csr> create(std::shared_ptr<const Executor> exec, const dim<2>& size = {},
                                       size_type num_nonzeros = 0, std::shared_ptr<strategy_type> strategy = nullptr);
    static std::unique_ptr<Csr> create(std::shared_ptr<const Executor> exec, std::shared_ptr<strategy_type> strategy);
    /// Takes the arrays, or views them if they are views. Their contents are not checked.
    /// @throws ValueMismatch  if values and columns differ in length, or row_ptrs does not hold rows + 1 elements
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
    /// Into blocks of the size that result has. @throws BlockSizeError  if it does not divide this matrix's size
    void convert_to(Fbcsr<ValueType, IndexType>* result) const override;
    /// Keeps the pattern, with value one.
    void convert_to(SparsityCsr<ValueType, IndexType>* result) const override;

    void read(const mat_data& data) override;
    void read(const device_matrix_data<ValueType, IndexType>& data) override;
    void read(device_matrix_data<ValueType, IndexType>&& data) override;
    void write(mat_data& data) const override;

    /// Columns within the rows of the result are sorted.
    std::unique_ptr<LinOp> transpose() const override;
    std::unique_ptr<LinOp> conj_transpose() const override;

    /// Adds up entries at one place; if there are three or more, in an order that is fixed on reference only.
    std::unique_ptr<Diagonal<ValueType>> extract_diagonal() const override;

    // Products and sums of sparse matrices. The result has sorted columns and a structural pattern: entries that cancel are
    // stored. No row of b or d may have a column twice, which is not checked:
    // matrix_data::sum_duplicates() adds such entries up. Operands may be on any executor. Bitwise
    // repeatable.
    // Also: a->apply(b, c) is c = a b, a->apply(alpha, b, beta, c) is c = alpha a b + beta c, and with an Identity for b
    // c = alpha a + beta c; c is the sum's pattern then, whatever it was before.
    // Row by row with hash tables (Gustavson 1978; Nagasaka, Nukada and Matsuoka 2017); the work is the number of products.
    // @throws DimensionMismatch  if sizes do not fit  @throws OverflowError  if the result has too many entries for IndexType

    class multiply_reuse_info;
    class multiply_add_reuse_info;
    class scale_add_reuse_info;

    /// this * b
    std::unique_ptr<Csr> multiply(ptr_param<const Csr> b) const;
    /// The product, and what computes it again for other values in the same patterns.
    std::pair<std::unique_ptr<Csr>, multiply_reuse_info> multiply_reuse(ptr_param<const Csr> b) const;

    /// alpha * this * b + beta * d
    std::unique_ptr<Csr> multiply_add(ptr_param<const Dense<ValueType>> alpha, ptr_param<const Csr> b,
                                      ptr_param<const Dense<ValueType>> beta, ptr_param<const Csr> d) const;
    std::pair<std::unique_ptr<Csr>, multiply_add_reuse_info> multiply_add_reuse(ptr_param<const Dense<ValueType>> alpha,
                                                                                ptr_param<const Csr> b,
                                                                                ptr_param<const Dense<ValueType>> beta,
                                                                                ptr_param<const Csr> d) const;

    /// alpha * this + beta * b
    std::unique_ptr<Csr> scale_add(ptr_param<const Dense<ValueType>> alpha, ptr_param<const Dense<ValueType>> beta,
                                   ptr_param<const Csr> b) const;
    std::pair<std::unique_ptr<Csr>, scale_add_reuse_info> add_scale_reuse(ptr_param<const Dense<ValueType>> alpha,
                                                                          ptr_param<const Dense<ValueType>> beta,
                                                                          ptr_param<const Csr> b) const;

    std::unique_ptr<absolute_type> compute_absolute() const override;
    void compute_absolute_inplace() override;

    // Permutations, on the executor of the matrix. Where columns are permuted, those of the result are sorted; otherwise entries
    // keep their order within the row.
    // @throws DimensionMismatch  if the permutation's length is not the number of rows or columns that it permutes
    std::unique_ptr<LinOp> permute(const array<IndexType>* permutation) const override;
    std::unique_ptr<LinOp> inverse_permute(const array<IndexType>* permutation) const override;
    std::unique_ptr<LinOp> row_permute(const array<IndexType>* permutation) const override;
    std::unique_ptr<LinOp> column_permute(const array<IndexType>* permutation) const override;
    std::unique_ptr<LinOp> inverse_row_permute(const array<IndexType>* permutation) const override;
    std::unique_ptr<LinOp> inverse_column_permute(const array<IndexType>* permutation) const override;

    // Permutations as matrices, which may be on any executor; the result is as above.
    // @throws DimensionMismatch  if a permutation's size is not the number of rows or columns that it permutes

    class permuting_reuse_info;

    std::unique_ptr<Csr> permute(ptr_param<const Permutation<IndexType>> permutation,
                                 permute_mode mode = permute_mode::symmetric) const;
    /// B(i, j) = A(row_i, column_j), or with invert B(row_i, column_j) = A(i, j)
    std::unique_ptr<Csr> permute(ptr_param<const Permutation<IndexType>> row_permutation,
                                 ptr_param<const Permutation<IndexType>> column_permutation, bool invert = false) const;
    /// With s the factors: for rows B(i, j) = s_(p_i) A(p_i, j), inverse B(p_i, j) = A(i, j) / s_(p_i); columns likewise, where
    /// the inverse multiplies with reciprocals.
    std::unique_ptr<Csr> scale_permute(ptr_param<const ScaledPermutation<ValueType, IndexType>> permutation,
                                       permute_mode mode = permute_mode::symmetric) const;
    std::unique_ptr<Csr> scale_permute(ptr_param<const ScaledPermutation<ValueType, IndexType>> row_permutation,
                                       ptr_param<const ScaledPermutation<ValueType, IndexType>> column_permutation,
                                       bool invert = false) const;

    /// The transpose or the permuted matrix, and what computes its values again for other values in the same pattern.
    std::pair<std::unique_ptr<Csr>, permuting_reuse_info> transpose_reuse() const;
    std::pair<std::unique_ptr<Csr>, permuting_reuse_info> permute_reuse(
        ptr_param<const Permutation<IndexType>> permutation, permute_mode mode = permute_mode::symmetric) const;
    std::pair<std::unique_ptr<Csr>, permuting_reuse_info> permute_reuse(
        ptr_param<const Permutation<IndexType>> row_permutation,
        ptr_param<const Permutation<IndexType>> column_permutation, bool invert = false) const;

    /// A copy of the block of these rows and columns; entries keep their order. @throws OutOfBoundsError  if it is not inside
    std::unique_ptr<Csr> create_submatrix(const span& rows, const span& columns) const;
    /// A copy of the entries in these rows and columns; entries keep their order. The sets may be on any executor. Time as a
    /// search in the runs of columns for each entry of the rows.
    /// @throws OutOfBoundsError  if a set is one of more indices than there are rows or columns
    std::unique_ptr<Csr> create_submatrix(const index_set<IndexType>& rows, const index_set<IndexType>& columns) const;

    /// The number of entries of the longest row; one pass over the row pointers.
    size_type compute_max_row_length() const;
    /// The number of entries divided by the number of rows; zero without rows.
    double compute_mean_row_length() const;

    /// Sorts the entries of each row by column; stable.
    void sort_by_column_index();
    bool is_sorted_by_column_index() const;

    /// The values as a column. The matrix must outlive the view.
    std::unique_ptr<Dense<ValueType>> create_value_view();
    std::unique_ptr<const Dense<ValueType>> create_const_value_view() const;
    /// this = alpha this with a 1 x 1 alpha, which may be real where values are complex
    void scale(ptr_param<const LinOp> alpha);
    /// this = this / alpha
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
    /// Stores a copy and prepares its data; to be called again after row pointers were written directly.
    void set_strategy(std::shared_ptr<strategy_type> strategy);

protected:
    bool has_static_launches() const override;

    explicit Csr(std::shared_ptr<const Executor> exec, const dim<2>& size = {}, size_type num_nonzeros = 0,
                 std::shared_ptr<strategy_type> strategy = nullptr);
    Csr(std::shared_ptr<const Executor> exec, const dim<2>& size, array<value_type> values, array<index_type> col_idxs,
        array<index_type> row_ptrs, std::shared_ptr<strategy_type> strategy);

    /// Returns true for sparse x: such a result is computed in other memory, which x takes over at the end.
    bool applies_in_place(const LinOp* x) const override { return dynamic_cast<const Csr*>(x) != nullptr; }
    /// b and x are Dense of any value type, in either precision: see LinOp::apply().
    void apply_impl(const LinOp* b, LinOp* x) const override;
    void apply_impl(const LinOp* alpha, const LinOp* b, const LinOp* beta, LinOp* x) const override;

private:
    /// @throws UnsupportedMatrixProperty  if a diagonal entry is not stored; nothing is changed then
    void add_scaled_identity_impl(const LinOp* a, const LinOp* b) override;
    /// Row i is row rows[i] of this matrix, with column j in place columns[j]; null leaves rows or columns alone. rows are as
    /// many as the matrix has, or num_rows.
    std::unique_ptr<Csr> rearrange(const IndexType* rows, const IndexType* columns) const
    {
        return this->rearrange(rows, this->get_size()[0], columns);
    }
    std::unique_ptr<Csr> rearrange(const IndexType* rows, size_type num_rows, const IndexType* columns) const;
    /// The pattern that move(matrix) gives, and where each of its values comes from.
    template <typename Move>
    std::pair<std::unique_ptr<Csr>, permuting_reuse_info> rearrange_reuse(Move move) const;

    std::shared_ptr<strategy_type> default_strategy() const;
    /// The strategy for a matrix on this executor that is like the given one.
    std::shared_ptr<strategy_type> adapt_strategy(const strategy_type& other, const Executor& from) const;
    /// A strategy and its data for one matrix.
    struct prepared_strategy {
        std::shared_ptr<strategy_type> strategy;
        array<index_type> srow;
    };
    /// A copy of the strategy, prepared on this executor for a matrix with these row pointers; nothing changes here.
    prepared_strategy prepare_strategy(const strategy_type& strategy, const array<index_type>& row_ptrs,
                                       size_type num_nonzeros) const;
    void set_prepared(prepared_strategy&& prepared) noexcept;
    /// Prepares the strategy's data for the present row pointers.
    void update_srow();
    /// Becomes the matrix of these arrays, from any executor; nothing changes if there is no memory for it.
    void assign_arrays(const dim<2>& size, array<value_type>&& values, array<index_type>&& col_idxs,
                       array<index_type>&& row_ptrs);
    /// Copies values and columns that are not given as rvalues.
    template <typename Values, typename ColIdxs>
    void take_or_copy(const dim<2>& size, Values&& values, ColIdxs&& col_idxs, array<index_type>&& row_ptrs);
    /// Takes over the arrays of data if it is an rvalue, and copies them otherwise.
    template <typename Data>
    void read_impl(Data&& data);
    std::unique_ptr<LinOp> transpose_impl(bool conjugate) const;
    /// alpha this b + beta d, or this b without alpha, beta and d, which are null then.
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

/// Computes the values of a rearranged matrix again: entry i of the result is entry value_permutation_i of the matrix.
template <typename ValueType, typename IndexType>
class SPRUCE_EXPORT Csr<ValueType, IndexType>::permuting_reuse_info {
    friend class Csr;

public:
    permuting_reuse_info() = default;
    explicit permuting_reuse_info(std::unique_ptr<Permutation<IndexType>> value_permutation)
        : value_permutation{std::move(value_permutation)}
    {}

    /// Writes the values of input to their places in output. Both need the patterns of the first time. Sizes and numbers of
    /// entries are checked: another pattern with as many entries gives values at wrong places.
    /// @throws DimensionMismatch  if input or output do not have the size of the first time, which is not known where
    ///                            value_permutation was given to the constructor; if input has fewer entries, or output
    ///                            not as many, as the first time
    void update_values(ptr_param<const Csr> input, ptr_param<Csr> output) const;

    std::unique_ptr<Permutation<IndexType>> value_permutation;

private:
    struct sizes {
        dim<2> input;
        dim<2> output;
    };
    std::optional<sizes> sizes_;
};

/// Holds what update_values() of the classes below checks of a pattern: size and number of entries.
/// Comparing the columns would take as long as the update. If columns or row_ptrs differ from those of
/// the first time, results are undefined.
struct csr_pattern_size {
    dim<2> size;
    size_type num_stored_elements;
};

/// Computes a product again, its pattern being known.
template <typename ValueType, typename IndexType>
class SPRUCE_EXPORT Csr<ValueType, IndexType>::multiply_reuse_info {
    friend class Csr;

public:
    /// result = a * b  @throws DimensionMismatch  if one is not like the matrices of the first time
    void update_values(ptr_param<const Csr> a, ptr_param<const Csr> b, ptr_param<Csr> result) const;

private:
    csr_pattern_size a_;
    csr_pattern_size b_;
    csr_pattern_size result_;
};

/// What multiply_add keeps for matrices with the same pattern and other values.
template <typename ValueType, typename IndexType>
class SPRUCE_EXPORT Csr<ValueType, IndexType>::multiply_add_reuse_info {
    friend class Csr;

public:
    /// result = alpha * a * b + beta * d  @throws DimensionMismatch  if one is not like the matrices of the first time
    void update_values(ptr_param<const Csr> a, ptr_param<const Dense<ValueType>> alpha, ptr_param<const Csr> b,
                       ptr_param<const Dense<ValueType>> beta, ptr_param<const Csr> d, ptr_param<Csr> result) const;

private:
    csr_pattern_size a_;
    csr_pattern_size b_;
    csr_pattern_size d_;
    csr_pattern_size result_;
};

/// What scale_add keeps for matrices with the same pattern and other values.
template <typename ValueType, typename IndexType>
class SPRUCE_EXPORT Csr<ValueType, IndexType>::scale_add_reuse_info {
    friend class Csr;

public:
    /// result = alpha * a + beta * b  @throws DimensionMismatch  if one is not like the matrices of the first time
    void update_values(ptr_param<const Dense<ValueType>> alpha, ptr_param<const Csr> a,
                       ptr_param<const Dense<ValueType>> beta, ptr_param<const Csr> b, ptr_param<Csr> result) const;

private:
    csr_pattern_size a_;
    csr_pattern_size b_;
    csr_pattern_size result_;
};

}  // namespace matrix
}  // namespace spruce
