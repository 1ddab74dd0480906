// What the pages of a registry have in common: the frame with its style and security policy, and numbers for people.
#pragma once

#include <fardel/base/unix_time.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace fardel {

inline constexpr std::size_t kPageRowsMax = 50;  // of a list or table about one bundle

std::string format_bytes(std::uint64_t bytes);  // "732 B", "14.2 kB"
std::string format_day(UnixTime time);          // "2026-01-31"
// At most so many bytes, whole characters, and "…" if something is left out.
std::string cut_text(std::string_view text, std::size_t bytes_max);

enum class PageScript : bool { none, search };

// A whole page. `title`: untrusted; `up`: "../" as often as the page lies below the folder; `body`: HTML.
std::string format_html_page(std::string_view title, std::string_view up, std::string_view body,
                             PageScript script = PageScript::none);

}  // namespace fardel
