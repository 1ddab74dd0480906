// Numbers as people read them: sizes, counts, times and short ids. Programs use --json instead.
#pragma once

#include <fardel/format/hash.h>
#include <fardel/format/ids.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace fardel {

std::string format_size(std::uint64_t bytes);   // "732 B", "14.2 kB", "1.3 GB"; powers of 1000
std::string format_count(std::uint64_t count);  // "1,234,567"
// "1 name", "12 names"
std::string format_count(std::uint64_t count, std::string_view one, std::string_view several);
std::string format_seconds(double seconds);     // "0.42 s", "3 min 5 s"
std::string format_date(std::uint64_t unix_s);  // "2024-05-01 12:00:00 UTC"
// "game 1.0"; "game" without a version, "(no name)" without a name. The texts are safe to show.
std::string format_title(std::string_view name, std::string_view version);

// The first 16 digits and "…"; no command accepts that as an id.
std::string short_id(const Hash& id);
template <class Tag>
std::string short_id(const Id32<Tag>& id) {
    return short_id(id_from<Hash>(id));
}

}  // namespace fardel
