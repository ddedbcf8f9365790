// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "benchmark/progress.hpp"

#include <algorithm>
#include <iostream>

#include <sys/ioctl.h>
#include <unistd.h>

namespace spruce::bench {
namespace {

size_type terminal_width()
{
    winsize size{};
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

progress::progress(size_type num_steps)
    : num_steps_{std::max<size_type>(num_steps, 1)}, is_terminal_{isatty(STDERR_FILENO) == 1}
{}

progress::~progress() { this->clear(); }

void progress::set_label(const std::string& label)
{
    if (label == label_) {
        return;
    }
    label_ = label;
    if (is_terminal_) {
        this->draw();
    } else {
        std::cerr << '[' << 100 * step_ / num_steps_ << " %] " << label_ << std::endl;
    }
}

void progress::advance(size_type num_steps) { this->advance_to(step_ + num_steps); }

void progress::advance_to(size_type step)
{
    step_ = std::min(step, num_steps_);
    if (is_terminal_) {
        this->draw();
    }
}

void progress::note(const std::string& line)
{
    this->clear();
    std::cerr << line << std::endl;
    if (is_terminal_) {
        this->draw();
    }
}

void progress::draw()
{
    constexpr size_type width = 30;
    const auto filled = width * step_ / num_steps_;
    auto line = '[' + std::string(filled, '#') + std::string(width - filled, '.') + "] " +
                std::to_string(100 * step_ / num_steps_) + " %  " + label_;
    line.resize(std::min(line.size(), terminal_width() - 1));
    std::cerr << "\r\033[K" << line << std::flush;
}

void progress::clear()
{
    if (is_terminal_) {
        std::cerr << "\r\033[K" << std::flush;
    }
}

}  // namespace spruce::bench
