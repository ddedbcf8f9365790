// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <memory>
#include <typeinfo>
#include <utility>
#include <vector>

#include <spruce/base/array.hpp>
#include <spruce/base/lin_op.hpp>
#include <spruce/base/math.hpp>
#include <spruce/matrix/coo.hpp>
#include <spruce/matrix/ell.hpp>
#include <spruce/matrix/formats.hpp>
#include <spruce/matrix/via_csr.hpp>

namespace spruce {
namespace matrix {

/// Stores the first entries of each row in an Ell and the remaining entries of long rows in a Coo
/// (Bell and Garland 2009).
///
/// The format suits matrices with a few long rows. The strategy determines the size of the Ell part
/// when a matrix is converted to this format. Several entries may have the same row and column: all
/// are stored, and products and extract_diagonal() add them up.
///
/// Conversions are bitwise repeatable on every executor. Products with one column are bitwise
/// repeatable on every executor, on GPUs up to the limits that Coo describes. Products with several
/// columns are bitwise repeatable on hosts.
template <typename ValueType = default_precision, typename IndexType = int32>
class SPRUCE_EXPORT Hybrid
    : public EnableLinOp<Hybrid<ValueType, IndexType>>,
      public ConvertibleToEach<Hybrid<next_precision<ValueType>, IndexType>, Csr<ValueType, IndexType>>,
      public ConvertibleToEachViaCsr<ValueType, IndexType, Dense<ValueType>, Coo<ValueType, IndexType>,
                                     Ell<ValueType, IndexType>, Sellp<ValueType, IndexType>,
                                     Fbcsr<ValueType, IndexType>, SparsityCsr<ValueType, IndexType>>,
      public DataViaCsr<ValueType, IndexType>,
      public DiagonalExtractable<ValueType>,
      public EnableAbsoluteComputation<remove_complex<Hybrid<ValueType, IndexType>>>,
      public TransposableViaCsr<Hybrid<ValueType, IndexType>>,
      public ScalePermutableViaCsr<Hybrid<ValueType, IndexType>, ValueType, IndexType>,
      public SortableViaCsr<Hybrid<ValueType, IndexType>> {
    friend class EnablePolymorphicObject<Hybrid, LinOp>;
    friend class Hybrid<next_precision<ValueType>, IndexType>;
    friend class Hybrid<to_complex<ValueType>, IndexType>;
    friend class Csr<ValueType, IndexType>;
    using conversions = ConvertibleToEach<Hybrid<next_precision<ValueType>, IndexType>, Csr<ValueType, IndexType>>;
    using conversions_via_csr =
        ConvertibleToEachViaCsr<ValueType, IndexType, Dense<ValueType>, Coo<ValueType, IndexType>,
                                Ell<ValueType, IndexType>, Sellp<ValueType, IndexType>, Fbcsr<ValueType, IndexType>,
                                SparsityCsr<ValueType, IndexType>>;

public:
    using EnableLinOp<Hybrid>::convert_to;
    using EnableLinOp<Hybrid>::move_to;
    using conversions::convert_to;
    using conversions::move_to;
    using conversions_via_csr::convert_to;
    using conversions_via_csr::move_to;

    using value_type = ValueType;
    using index_type = IndexType;
    using mat_data = matrix_data<ValueType, IndexType>;
    using ell_type = Ell<ValueType, IndexType>;
    using coo_type = Coo<ValueType, IndexType>;
    using transposed_type = Hybrid;
    using absolute_type = remove_complex<Hybrid>;

    /// Determines the number of entries per row for which the Ell part has space.
    class SPRUCE_EXPORT strategy_type {
    public:
        virtual ~strategy_type();
        /// Returns the number of entries per row in the Ell part.
        /// @param rows_by_length  rows_by_length[l] rows have l entries; the last number counts the
        ///     longest rows. The first call may see long rows only as this last number, all of them
        ///     together. A result that is not below the index of the last number leads to another
        ///     call with more lengths, up to the longest.
        virtual size_type compute_ell_num_stored_elements_per_row(
            const std::vector<size_type>& rows_by_length) const = 0;
    };

    /// Uses a fixed number.
    class SPRUCE_EXPORT column_limit : public strategy_type {
    public:
        explicit column_limit(size_type num_columns = 0) : num_columns_{num_columns} {}
        size_type compute_ell_num_stored_elements_per_row(const std::vector<size_type>&) const override
        {
            return num_columns_;
        }
        size_type get_num_columns() const { return num_columns_; }

    private:
        size_type num_columns_;
    };

    /// Uses the quantile of the row lengths: the length that the given fraction of rows does not
    /// exceed.
    class SPRUCE_EXPORT imbalance_limit : public strategy_type {
    public:
        explicit imbalance_limit(double percent = 0.8) : percent_{std::min(std::max(percent, 0.0), 1.0)} {}
        size_type compute_ell_num_stored_elements_per_row(const std::vector<size_type>& rows_by_length) const override;
        double get_percentage() const { return percent_; }

    private:
        double percent_;
    };

    /// Uses the quantile of imbalance_limit, but at most ratio times the number of rows. This keeps
    /// the Ell part small for matrices with few rows.
    class SPRUCE_EXPORT imbalance_bounded_limit : public strategy_type {
    public:
        explicit imbalance_bounded_limit(double percent = 0.8, double ratio = 0.0001) : limit_{percent}, ratio_{ratio}
        {}
        size_type compute_ell_num_stored_elements_per_row(const std::vector<size_type>& rows_by_length) const override;
        double get_percentage() const { return limit_.get_percentage(); }
        double get_ratio() const { return ratio_; }

    private:
        imbalance_limit limit_;
        double ratio_;
    };

    /// Minimizes memory: a column of the Ell part stores a value and an index for each row, and
    /// saves a value and two indices for each row that is longer.
    class SPRUCE_EXPORT minimal_storage_limit : public strategy_type {
    public:
        minimal_storage_limit();
        size_type compute_ell_num_stored_elements_per_row(const std::vector<size_type>& rows_by_length) const override
        {
            return limit_.compute_ell_num_stored_elements_per_row(rows_by_length);
        }
        double get_percentage() const { return limit_.get_percentage(); }

    private:
        imbalance_limit limit_;
    };

    /// Uses the default of the library: imbalance_bounded_limit(1/3, 0.001).
    class SPRUCE_EXPORT automatic : public strategy_type {
    public:
        automatic() : limit_{1.0 / 3.0, 0.001} {}
        size_type compute_ell_num_stored_elements_per_row(const std::vector<size_type>& rows_by_length) const override
        {
            return limit_.compute_ell_num_stored_elements_per_row(rows_by_length);
        }

    private:
        imbalance_bounded_limit limit_;
    };

    /// Creates a matrix without entries. num_stored_elements_per_row and stride are those of the
    /// Ell part, see Ell::create(). num_nonzeros is the number of entries for which memory of the
    /// Coo part is allocated. A null strategy means automatic.
    /// @throws OverflowError  if IndexType cannot count the rows or columns
    static std::unique_ptr<Hybrid> create(std::shared_ptr<const Executor> exec,
                                          std::shared_ptr<strategy_type> strategy = nullptr);
    static std::unique_ptr<Hybrid> create(std::shared_ptr<const Executor> exec, const dim<2>& size,
                                          std::shared_ptr<strategy_type> strategy = nullptr);
    static std::unique_ptr<Hybrid> create(std::shared_ptr<const Executor> exec, const dim<2>& size,
                                          size_type num_stored_elements_per_row,
                                          std::shared_ptr<strategy_type> strategy = nullptr);
    static std::unique_ptr<Hybrid> create(std::shared_ptr<const Executor> exec, const dim<2>& size,
                                          size_type num_stored_elements_per_row, size_type stride,
                                          size_type num_nonzeros = {},
                                          std::shared_ptr<strategy_type> strategy = nullptr);
    static std::unique_ptr<Hybrid> create(std::shared_ptr<const Executor> exec, const dim<2>& size,
                                          size_type num_stored_elements_per_row, size_type stride,
                                          std::shared_ptr<strategy_type> strategy);

    Hybrid(const Hybrid& other);
    Hybrid(Hybrid&& other);
    Hybrid& operator=(const Hybrid& other);
    Hybrid& operator=(Hybrid&& other);
    ~Hybrid() override;

    /// Converts both parts separately.
    void convert_to(Hybrid<next_precision<ValueType>, IndexType>* result) const override;
    /// Converts to Csr. The entries of a row keep their order, zeros included.
    /// @throws OverflowError  if IndexType cannot count the entries
    void convert_to(Csr<ValueType, IndexType>* result) const override;

    std::unique_ptr<Diagonal<ValueType>> extract_diagonal() const override;

    std::unique_ptr<absolute_type> compute_absolute() const override;
    void compute_absolute_inplace() override;

    const ell_type* get_ell() const noexcept { return ell_.get(); }
    value_type* get_ell_values() noexcept { return ell_->get_values(); }
    const value_type* get_const_ell_values() const noexcept { return ell_->get_const_values(); }
    index_type* get_ell_col_idxs() noexcept { return ell_->get_col_idxs(); }
    const index_type* get_const_ell_col_idxs() const noexcept { return ell_->get_const_col_idxs(); }
    size_type get_ell_num_stored_elements_per_row() const noexcept { return ell_->get_num_stored_elements_per_row(); }
    size_type get_ell_stride() const noexcept { return ell_->get_stride(); }
    size_type get_ell_num_stored_elements() const noexcept { return ell_->get_num_stored_elements(); }
    /// Returns values and columns of the Ell part, see Ell::val_at().
    value_type& ell_val_at(size_type row, size_type idx) noexcept { return ell_->val_at(row, idx); }
    value_type ell_val_at(size_type row, size_type idx) const noexcept { return std::as_const(*ell_).val_at(row, idx); }
    index_type& ell_col_at(size_type row, size_type idx) noexcept { return ell_->col_at(row, idx); }
    index_type ell_col_at(size_type row, size_type idx) const noexcept { return std::as_const(*ell_).col_at(row, idx); }
    value_type& ell_val_at(size_type idx) noexcept { return ell_->val_at(idx); }
    value_type ell_val_at(size_type idx) const noexcept { return std::as_const(*ell_).val_at(idx); }
    index_type& ell_col_at(size_type idx) noexcept { return ell_->col_at(idx); }
    index_type ell_col_at(size_type idx) const noexcept { return std::as_const(*ell_).col_at(idx); }

    const coo_type* get_coo() const noexcept { return coo_.get(); }
    value_type* get_coo_values() noexcept { return coo_->get_values(); }
    const value_type* get_const_coo_values() const noexcept { return coo_->get_const_values(); }
    index_type* get_coo_col_idxs() noexcept { return coo_->get_col_idxs(); }
    const index_type* get_const_coo_col_idxs() const noexcept { return coo_->get_const_col_idxs(); }
    index_type* get_coo_row_idxs() noexcept { return coo_->get_row_idxs(); }
    const index_type* get_const_coo_row_idxs() const noexcept { return coo_->get_const_row_idxs(); }
    size_type get_coo_num_stored_elements() const noexcept { return coo_->get_num_stored_elements(); }

    /// Returns the number of stored elements of both parts, padding included.
    size_type get_num_stored_elements() const noexcept
    {
        return this->get_ell_num_stored_elements() + this->get_coo_num_stored_elements();
    }

    bool shares_memory_with(const memory_extent& memory) const noexcept override
    {
        return ell_->shares_memory_with(memory) || coo_->shares_memory_with(memory);
    }

    std::shared_ptr<strategy_type> get_strategy() const noexcept { return strategy_; }
    /// Returns the strategy for another type of Hybrid. A strategy that the library does not define
    /// is replaced by automatic.
    template <typename OtherHybrid>
    std::shared_ptr<typename OtherHybrid::strategy_type> get_strategy() const
    {
        const auto strategy = strategy_.get();
        if (const auto same = dynamic_cast<const column_limit*>(strategy)) {
            return std::make_shared<typename OtherHybrid::column_limit>(same->get_num_columns());
        }
        if (const auto same = dynamic_cast<const imbalance_limit*>(strategy)) {
            return std::make_shared<typename OtherHybrid::imbalance_limit>(same->get_percentage());
        }
        if (const auto same = dynamic_cast<const imbalance_bounded_limit*>(strategy)) {
            return std::make_shared<typename OtherHybrid::imbalance_bounded_limit>(same->get_percentage(),
                                                                                   same->get_ratio());
        }
        if (dynamic_cast<const minimal_storage_limit*>(strategy)) {
            return std::make_shared<typename OtherHybrid::minimal_storage_limit>();
        }
        return std::make_shared<typename OtherHybrid::automatic>();
    }

protected:
    explicit Hybrid(std::shared_ptr<const Executor> exec, const dim<2>& size = {},
                    size_type num_stored_elements_per_row = 0, size_type stride = 0, size_type num_nonzeros = 0,
                    std::shared_ptr<strategy_type> strategy = nullptr);

    bool has_static_launches() const override { return typeid(*this) == typeid(Hybrid); }
    void apply_impl(const LinOp* b, LinOp* x) const override;
    void apply_impl(const LinOp* alpha, const LinOp* b, const LinOp* beta, LinOp* x) const override;

private:
    /// Replaces this matrix by a, split by the strategy.
    void take_entries(const Csr<ValueType, IndexType>& a);

    std::unique_ptr<ell_type> ell_;
    std::unique_ptr<coo_type> coo_;
    std::shared_ptr<strategy_type> strategy_;
};

}  // namespace matrix
}  // namespace spruce
