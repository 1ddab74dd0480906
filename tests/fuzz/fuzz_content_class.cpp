// The class of content: every input has an answer, claims of names never make it less dangerous, and only the first
// bytes count.
#include "require.h"

#include <fardel/format/content_class.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>

int fuzz_content_class(const std::uint8_t* data, std::size_t size) {
    const auto bytes = std::as_bytes(std::span(data, size));
    // The first line is a name for the rest.
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const std::string_view name = text.substr(0, text.find('\n'));
    const auto head = bytes.subspan(std::min(size, name.size() + 1));

    const fardel::ContentFinding named = fardel::classify_name(name);
    const fardel::ContentFinding read = fardel::classify_bytes(head, fardel::claim_of(name));
    const fardel::ContentClass unclaimed = fardel::classify_bytes(head, fardel::ContentClaim::nothing).content;
    for (const fardel::ContentClaim claim : {fardel::ContentClaim::media, fardel::ContentClaim::text})
        require(fardel::classify_bytes(head, claim).content >= unclaimed);
    for (const fardel::ContentFinding& one : {named, read})
        require(one.what.empty() == (one.content == fardel::ContentClass::data));
    require(fardel::parse_classes(fardel::format_classes(read.content)) == read.content);

    const auto first = head.first(std::min(head.size(), fardel::kContentClassBytes));
    require(fardel::classify_bytes(first, fardel::claim_of(name)).content == read.content);
    require((fardel::claim_of(name) != fardel::ContentClaim::nothing) == (named.content == fardel::ContentClass::data));
    return 0;
}
