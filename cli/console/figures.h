// Numbers as people read and type them, and lists for people: sizes, counts, times and short ids. Programs use --json
// instead.
#pragma once

#include <fardel/base/size_text.h>
#include <fardel/base/unix_time.h>
#include <fardel/format/hash.h>
#include <fardel/format/ids.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

std::string format_count(std::uint64_t count);  // "1,234,567"
// "1 name", "12 names"
std::string format_count(std::uint64_t count, std::string_view one, std::string_view several);
// How a size changed: "1.2 MB → 1.5 MB (+300.0 kB)"; "1.2 MB" if it did not.
std::string format_step(std::uint64_t before, std::uint64_t after);
std::string format_seconds(double seconds);    // "0.42 s", "3 min 5 s"
std::string format_time_left(double seconds);  // "12 s", "3 min 5 s"
std::string format_date(UnixTime time);        // "2024-05-01 12:00:00 UTC"
// "game 1.0"; "game" without a version, "(no name)" without a name. The texts are safe to show.
std::string format_title(std::string_view name, std::string_view version);

// Reads "30d", "12h", "15m", "90s" or "0" as seconds; nothing for another text.
std::optional<std::int64_t> find_duration(std::string_view text);

// The lines of all values, which `format` returns.
template <class Values, class Format>
std::string format_each(const Values& values, Format format) {
    std::string text;
    for (const auto& value : values)
        text += format(value);
    return text;
}

// The first items of a list, one per line; `more` says where all of them are. `format` returns the line of one item.
template <class Item, class Format>
std::string format_items(const std::vector<Item>& items, std::size_t listed_max, std::string_view indent, Format format,
                         std::string_view more = "; --json lists all") {
    std::string text;
    for (const Item& item : std::span(items).first(std::min(items.size(), listed_max)))
        text += fmt::format("{}{}\n", indent, format(item));
    if (items.size() > listed_max)
        text += fmt::format("{}… and {} more{}\n", indent, format_count(items.size() - listed_max), more);
    return text;
}

// The same below a line with a title and their number; empty if there are no items.
template <class Item, class Format>
std::string format_cut_list(std::string_view title, const std::vector<Item>& items, std::size_t listed_max,
                            Format format, std::string_view more = "; --json lists all") {
    if (items.empty())
        return {};
    return fmt::format("{}: {}\n", title, format_count(items.size())) +
           format_items(items, listed_max, "  ", format, more);
}

// The first 16 digits and "…"; no command accepts that as an id.
std::string short_id(const Hash& id);
template <class Tag>
std::string short_id(const Id32<Tag>& id) {
    return short_id(id_from<Hash>(id));
}

}  // namespace fardel
