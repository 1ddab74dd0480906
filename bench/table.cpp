#include "table.h"

#include <fmt/format.h>

#include <cstdio>

namespace fardel::bench {

void Table::heading(std::string_view text) {
    fmt::print("\n### {}\n\n| work | fardel | peer | ratio | target |\n| --- | --- | --- | --- | --- |\n", text);
    std::fflush(stdout);
}

void Table::add(Row row) {
    // Three digits, and no exponents.
    const auto figure = [&](double value) {
        return value < 1000 ? fmt::format("{:.3g} {}", value, row.unit) : fmt::format("{:.0f} {}", value, row.unit);
    };
    std::string peer = "–";
    std::string ratio = "–";
    if (row.peer > 0) {
        peer = fmt::format("{} ({})", figure(row.peer), row.peer_name);
        ratio = fmt::format("{:.2f} ×", row.more_is_better ? row.ours / row.peer : row.peer / row.ours);
    }
    if (!row.peer_absent.empty())
        peer = fmt::format("– ({}: {})", row.peer_name, row.peer_absent);
    fmt::print("| {} | {} | {} | {} | {} |\n", row.work, figure(row.ours), peer, ratio,
               row.target.empty() ? "–" : row.target);
    std::fflush(stdout);
}

}  // namespace fardel::bench
