// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "benchmark/interrupt.hpp"

#include <csignal>

namespace spruce::bench {
namespace {

volatile std::sig_atomic_t flag = 0;

extern "C" void set_flag(int) { flag = 1; }

}  // namespace

void catch_interrupts()
{
    struct sigaction action {};
    action.sa_handler = set_flag;
    action.sa_flags = SA_RESETHAND | SA_RESTART;
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
}

bool was_interrupted() { return flag != 0; }

}  // namespace spruce::bench
