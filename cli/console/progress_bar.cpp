#include "progress_bar.h"

#include <fmt/format.h>

#include <algorithm>

namespace fardel {
namespace {

constexpr auto kBeforeFirst = std::chrono::milliseconds(300);
constexpr auto kBetween = std::chrono::milliseconds(100);
constexpr std::size_t kCells = 24;
constexpr std::string_view kStartOfLine = "\r\x1b[K";  // and clears it

}  // namespace

ProgressBar::ProgressBar(Console& console, std::string_view what)
    : console_(console), what_(what), next_(Clock::now() + kBeforeFirst) {}

ProgressBar::~ProgressBar() { hide(); }

void ProgressBar::hide() {
    if (drawn_)
        console_.draw(kStartOfLine);
    drawn_ = false;
}

void ProgressBar::show(std::uint64_t done, std::uint64_t total, std::string_view detail) {
    if (!console_.watched() || Clock::now() < next_)
        return;
    next_ = Clock::now() + kBetween;
    drawn_ = true;
    const double share = total == 0 ? 0 : std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
    const auto full = static_cast<std::size_t>(share * static_cast<double>(kCells));
    console_.draw(fmt::format("{}{} [{}{}] {:3.0f} %  {}", kStartOfLine, what_, std::string(full, '#'),
                              std::string(kCells - full, '.'), share * 100, detail));
}

}  // namespace fardel
