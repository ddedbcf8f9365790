// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Names DpcppExecutor in tables of executors and in operations, although it cannot be created.

#include <ginkgo/ginkgo.hpp>

#include "check.hpp"

struct WhichForm : gko::Operation {
    void run(std::shared_ptr<const gko::OmpExecutor>) const override { form = "omp"; }
    void run(std::shared_ptr<const gko::ReferenceExecutor>) const override { form = "reference"; }
    void run(std::shared_ptr<const gko::CudaExecutor>) const override { form = "cuda"; }
    void run(std::shared_ptr<const gko::HipExecutor>) const override { form = "hip"; }
    void run(std::shared_ptr<const gko::DpcppExecutor>) const override { form = "dpcpp"; }
    mutable std::string form;
};

struct OmpAlone : gko::Operation {
    void run(std::shared_ptr<const gko::OmpExecutor>) const override {}
};

// Kernels in all five namespaces.
namespace gko {
namespace kernels {
namespace reference {
void set(std::shared_ptr<const ReferenceExecutor>, int& result) { result = 1; }
}  // namespace reference
namespace omp {
void set(std::shared_ptr<const OmpExecutor>, int& result) { result = 2; }
}  // namespace omp
namespace cuda {
void set(std::shared_ptr<const CudaExecutor>, int& result) { result = 3; }
}  // namespace cuda
namespace hip {
void set(std::shared_ptr<const HipExecutor>, int& result) { result = 4; }
}  // namespace hip
namespace dpcpp {
void set(std::shared_ptr<const DpcppExecutor>, int& result) { result = 5; }
}  // namespace dpcpp
}  // namespace kernels
}  // namespace gko
GKO_REGISTER_OPERATION(set, set);

static std::string kind_of(std::shared_ptr<const gko::Executor> exec)
{
    if (std::dynamic_pointer_cast<const gko::DpcppExecutor>(exec)) {
        return "dpcpp";
    }
    return std::dynamic_pointer_cast<const gko::ReferenceExecutor>(exec) ? "reference" : "another";
}

static int count_subgroup_sizes(std::shared_ptr<const gko::DpcppExecutor> exec)
{
    return exec ? static_cast<int>(exec->get_subgroup_sizes().size()) + exec->get_device_id() : 0;
}

int main()
{
    const std::map<std::string, std::function<std::shared_ptr<gko::Executor>()>> make{
        {"reference", [] { return gko::ReferenceExecutor::create(); }},
        {"dpcpp", [] { return gko::DpcppExecutor::create(0, gko::OmpExecutor::create()); }},
        {"dpcpp gpu", [] {
             return gko::DpcppExecutor::create(0, gko::ReferenceExecutor::create(), "gpu",
                                               gko::dpcpp_queue_property::in_order);
         }}};

    for (const auto type : {"all", "gpu", "cpu", "accelerator", "host"}) {
        print(std::string{"devices, "} + type, gko::DpcppExecutor::get_num_devices(type));
    }
    for (const auto name : {"reference", "dpcpp", "dpcpp gpu"}) {
        print(std::string{"creation of "} + name + " throws", thrown_by(make.at(name)));
    }
    static_assert(!std::is_constructible_v<gko::DpcppExecutor>, "no other way leads to one");

    const auto reference = make.at("reference")();
    check(kind_of(reference) == "reference", "executors are told apart");
    check(count_subgroup_sizes(nullptr) == 0, "functions take the executor");
    WhichForm op;
    reference->run(op);
    print("form of an operation on reference", op.form);
    gko::OmpExecutor::create()->run(op);
    print("form of an operation on omp", op.form);
    check_throws<gko::NotImplemented>([] { OmpAlone{}.Operation::run(std::shared_ptr<const gko::DpcppExecutor>{}); },
                                      "a form that is not overridden is not implemented");
    int result = 0;
    reference->run(make_set(result));
    check(result == 1, "a registered operation calls the kernel of the executor");
    reference->run(
        "closures", [&] { result = 10; }, [] {}, [] {}, [] {}, [&] { result = 50; });
    check(result == 10, "of six closures the one of the executor runs");

    using Csr = gko::matrix::Csr<double, int>;
    const std::shared_ptr<const gko::DpcppExecutor> no_device;
    check(Csr::load_balance(no_device).get_name() == "load_balance", "strategies take the executor");
    check(gko::OmpExecutor::create()->get_master() != nullptr, "the master of all is the OmpExecutor");
    return exit_status();
}
