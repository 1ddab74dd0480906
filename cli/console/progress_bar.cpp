#include "progress_bar.h"

#include "figures.h"

#include <fardel/base/terminal.h>

#include <fmt/format.h>

#include <algorithm>

namespace fardel {
namespace {

constexpr auto kBeforeFirst = std::chrono::milliseconds(300);
constexpr auto kBetween = std::chrono::milliseconds(100);
constexpr std::size_t kCells = 24;
constexpr std::size_t kCellsMin = 4;
constexpr double kSecondsBeforeRate = 2;
constexpr double kShareBeforeRate = 0.01;
constexpr std::string_view kStartOfLine = "\r\x1b[K";  // and clears it

}  // namespace

ProgressBar::ProgressBar(Console& console, std::string_view what)
    : console_(console), what_(what), began_(Clock::now()), next_(began_ + kBeforeFirst) {}

ProgressBar::~ProgressBar() { hide(); }

void ProgressBar::hide() {
    if (drawn_)
        console_.draw(kStartOfLine);
    drawn_ = false;
}

// ", 93.1 MB/s, 12 s left"; empty until there is something to reckon with.
std::string ProgressBar::rate_text(double share, std::uint64_t bytes) const {
    const double seconds = std::chrono::duration<double>(Clock::now() - began_).count();
    if (seconds < kSecondsBeforeRate || share < kShareBeforeRate)
        return {};
    const auto rate = static_cast<std::uint64_t>(static_cast<double>(bytes) / seconds);
    return fmt::format(", {}/s, {} left", format_size(rate), format_time_left(seconds * (1 - share) / share));
}

void ProgressBar::show(std::uint64_t done, std::uint64_t total, std::string_view detail,
                       std::optional<std::uint64_t> bytes) {
    if (!console_.watched() || Clock::now() < next_)
        return;
    next_ = Clock::now() + kBetween;
    drawn_ = true;
    const double share = total == 0 ? 0 : std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
    const std::string text = std::string(detail) + (bytes ? rate_text(share, *bytes) : std::string());
    // A line that is longer than the terminal's would scroll away with each step. The bar gives way first.
    const std::size_t columns = columns_of(StandardStream::errors) - 1;
    const std::size_t others = what_.size() + std::string_view(" [] 100 %  ").size() + text.size();
    const std::size_t cells = std::clamp<std::size_t>(columns - std::min(columns, others), kCellsMin, kCells);
    const auto full = static_cast<std::size_t>(share * static_cast<double>(cells));
    const std::string line = fmt::format("{} [{}{}] {:3.0f} %  {}", what_, std::string(full, '#'),
                                         std::string(cells - full, '.'), share * 100, text);
    console_.draw(fmt::format("{}{}", kStartOfLine, line.substr(0, columns)));
}

void ProgressBar::show_bytes(std::uint64_t done_bytes, std::uint64_t total_bytes) {
    show(done_bytes, total_bytes, fmt::format("{} of {}", format_size(done_bytes), format_size(total_bytes)),
         done_bytes);
}

}  // namespace fardel
