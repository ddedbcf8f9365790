// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/base/reduction.hpp>

#include <spruce/base/lin_op.hpp>

namespace spruce {

Communicator::~Communicator() = default;
Distributed::~Distributed() = default;

const Communicator* detail::get_communicator(const LinOp* op)
{
    const auto distributed = dynamic_cast<const Distributed*>(op);
    return distributed ? distributed->get_communicator() : nullptr;
}

}  // namespace spruce
