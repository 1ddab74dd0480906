// Ids and names from little text.
#pragma once

#include <fardel/format/hash.h>
#include <fardel/format/ids.h>
#include <fardel/format/name.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace fardel::tests {

// The id of the asset with this content.
inline AssetId id_of(std::span<const std::byte> content) { return id_from<AssetId>(blake3(content)); }
inline AssetId id_of(std::string_view content) { return id_of(std::as_bytes(std::span(content))); }

// An id, a key or a hash whose bytes are all `value`.
template <class Id>
Id filled_id(std::uint8_t value) {
    Id id;
    id.bytes.fill(value);
    return id;
}

// The text must be a good name.
inline AssetName name_of(std::string_view text) { return AssetName::parse(text).value(); }

}  // namespace fardel::tests
