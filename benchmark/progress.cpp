// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "benchmark/progress.hpp"

#include <algorithm>
#include <cmath>
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
                std::to_string(100 * step_ / num_steps_) + " %  " + this->time_left() + label_;
    line.resize(std::min(line.size(), terminal_width() - 1));
    std::cerr << "\r\033[K" << line << std::flush;
}

/// Estimates the time left from the time of the steps until now.
std::string progress::time_left() const
{
    if (step_ == 0 || step_ == num_steps_) {
        return {};
    }
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
    const auto seconds = elapsed.count() * static_cast<double>(num_steps_ - step_) / static_cast<double>(step_);
    return (seconds < 90 ? std::to_string(std::lround(seconds)) + " s"
                         : std::to_string(std::lround(seconds / 60)) + " min") +
           " left  ";
}

void progress::clear()
{
    if (is_terminal_) {
        std::cerr << "\r\033[K" << std::flush;
    }
}

}  // namespace spruce::bench
