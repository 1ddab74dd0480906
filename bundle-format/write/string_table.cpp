#include "string_table.h"

#include <fardel/base/fits.h>
#include <fardel/base/little_endian.h>
#include <fardel/format/limits.h>

#include <algorithm>
#include <cassert>
#include <string>

namespace fardel {

void StringTable::add(std::string_view text) {
    assert(text.size() <= limits::kStringBytesMax);
    if (const auto [it, added] = refs_.try_emplace(text, StringRef{0}); added)
        entries_.push_back({text, &it->second});
}

Result<std::vector<std::byte>> StringTable::seal() {
    std::uint64_t length_bytes = 0;
    for (const Entry& entry : entries_)
        length_bytes += sizeof(std::uint16_t) + entry.text.size();
    if (length_bytes > limits::kStringsBytesMax || !fits_memory(length_bytes))
        return Error(ErrorCode::limit,
                     "all strings together have " + std::to_string(length_bytes) + " bytes; at most " +
                         std::to_string(std::min<std::uint64_t>(limits::kStringsBytesMax, PTRDIFF_MAX)));
    // Names are added first and in order, and are most of the strings: only what comes after them has to be sorted.
    const auto unsorted = std::ranges::is_sorted_until(entries_, {}, &Entry::text);
    std::ranges::sort(unsorted, entries_.end(), {}, &Entry::text);
    std::ranges::inplace_merge(entries_, unsorted, {}, &Entry::text);

    std::vector<std::byte> bytes;
    bytes.reserve(in_memory(length_bytes));
    for (const Entry& entry : entries_) {
        *entry.ref = static_cast<StringRef>(bytes.size());
        append_le(bytes, static_cast<std::uint16_t>(entry.text.size()));
        const auto raw = std::as_bytes(std::span(entry.text));
        bytes.insert(bytes.end(), raw.begin(), raw.end());
    }
    entries_ = {};
    return bytes;
}

StringRef StringTable::ref(std::string_view text) const {
    const auto it = refs_.find(text);
    assert(it != refs_.end());
    return it->second;
}

}  // namespace fardel
