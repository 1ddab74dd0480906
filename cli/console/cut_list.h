// A list for people, cut where it gets long; the JSON output has all items.
#pragma once

#include "figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

// Returns an empty text if there are no items. `format` returns the line of one item.
template <class Item, class Format>
std::string format_cut_list(std::string_view title, const std::vector<Item>& items, std::size_t listed_max,
                            Format format) {
    if (items.empty())
        return {};
    std::string text = fmt::format("{}: {}\n", title, format_count(items.size()));
    for (const Item& item : std::span(items).first(std::min(items.size(), listed_max)))
        text += fmt::format("  {}\n", format(item));
    if (items.size() > listed_max)
        text += fmt::format("  … and {} more; --json lists all\n", format_count(items.size() - listed_max));
    return text;
}

}  // namespace fardel
