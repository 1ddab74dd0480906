// What the pages of a registry have in common: the frame with its style and security policy, and numbers for people.
#pragma once

#include <fardel/base/unix_time.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace fardel {

inline constexpr std::size_t kPageRowsMax = 50;  // of a list or table about one bundle or name
inline constexpr std::size_t kPageTextBytesMax = 200;

std::string format_bytes(std::uint64_t bytes);  // "732 B", "14.2 kB"
std::string format_day(UnixTime time);          // "2026-01-31"
// At most so many bytes, whole characters, and "…" if something is left out.
std::string cut_text(std::string_view text, std::size_t bytes_max);

// "and 64936 more"; empty: all are shown.
std::string more_text(std::uint64_t count, std::uint64_t shown);

// A list with the first of the items. `count`: of all, also those that `items` leaves out.
template <class Items, class Format>
std::string limited_list(const Items& items, std::uint64_t count, Format format) {
    std::string text = "<ul>\n";
    const std::size_t shown = std::min(items.size(), kPageRowsMax);
    for (std::size_t i = 0; i < shown; ++i)
        text += "<li>" + format(items[i]) + "</li>\n";
    if (count > shown)
        text += "<li>" + more_text(count, shown) + "</li>\n";
    return text + "</ul>\n";
}

enum class PageScript : bool { none, search };

// A whole page. `title`: untrusted; `up`: "../" as often as the page lies below the folder; `body`: HTML.
std::string format_html_page(std::string_view title, std::string_view up, std::string_view body,
                             PageScript script = PageScript::none);

}  // namespace fardel
