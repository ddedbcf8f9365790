// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Defines a format that overrides only the functions that read from the host and write to it.

#include <ginkgo/ginkgo.hpp>

#include <memory>
#include <utility>

#include "check.hpp"

class Own : public gko::EnableLinOp<Own>,
            public gko::EnableCreateMethod<Own>,
            public gko::ReadableFromMatrixData<double, int>,
            public gko::WritableToMatrixData<double, int> {
    friend class gko::EnablePolymorphicObject<Own, gko::LinOp>;
    friend class gko::EnableCreateMethod<Own>;

public:
    using gko::ReadableFromMatrixData<double, int>::read;
    void read(const gko::matrix_data<double, int>& data) override
    {
        data_ = data;
        this->set_size(data.size);
    }
    void write(gko::matrix_data<double, int>& data) const override { data = data_; }

protected:
    explicit Own(std::shared_ptr<const gko::Executor> exec) : gko::EnableLinOp<Own>(std::move(exec)) {}
    void apply_impl(const gko::LinOp*, gko::LinOp*) const override {}
    void apply_impl(const gko::LinOp*, const gko::LinOp*, const gko::LinOp*, gko::LinOp*) const override {}

private:
    gko::matrix_data<double, int> data_;
};

int main()
{
    const auto exec = gko::ReferenceExecutor::create();
    const gko::matrix_data<double, int> data{{{1.0, 2.0}, {0.0, 3.0}}};
    auto device_data = gko::device_matrix_data<double, int>::create_from_host(exec, data);
    gko::matrix_assembly_data<double, int> assembly{gko::dim<2>{2, 2}};
    assembly.add_value(1, 0, 4.0);
    const auto own = Own::create(exec);
    gko::matrix_data<double, int> written;

    own->read(data);
    own->write(written);
    print("size after reading from the host", own->get_size());
    check(written.nonzeros == data.nonzeros, "reads from the host");
    own->clear();
    own->read(device_data);
    own->write(written);
    print("size after reading data on an executor", own->get_size());
    check(written.nonzeros == data.nonzeros, "reads data on an executor");
    own->clear();
    own->read(std::move(device_data));
    own->write(written);
    check(written.nonzeros == data.nonzeros, "reads data that are given away");
    own->read(assembly);
    own->write(written);
    print("entries after reading what was assembled, value of the first", written.nonzeros.size(),
          written.nonzeros.at(0).value);
    print("size of a clone", own->clone()->get_size());
    return exit_status();
}
