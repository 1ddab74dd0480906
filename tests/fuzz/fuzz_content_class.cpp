// The class of content: every input has an answer, a name that claims media never makes it less dangerous, and only
// the first bytes count.
#include "require.h"

#include <fardel/format/content_class.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto bytes = std::as_bytes(std::span(data, size));
    // The first line is a name for the rest.
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const std::string_view name = text.substr(0, text.find('\n'));
    const auto head = bytes.subspan(std::min(size, name.size() + 1));

    const fardel::ContentFinding named = fardel::classify_name(name);
    const fardel::ContentFinding read = fardel::classify_bytes(head, fardel::claims_media(name));
    require(fardel::classify_bytes(head, true).content >= fardel::classify_bytes(head, false).content);
    for (const fardel::ContentFinding& one : {named, read})
        require(one.what.empty() == (one.content == fardel::ContentClass::data));
    require(fardel::parse_classes(fardel::format_classes(read.content)) == read.content);

    const auto first = head.first(std::min(head.size(), fardel::kContentClassBytes));
    require(fardel::classify_bytes(first, fardel::claims_media(name)).content == read.content);
    require(!fardel::claims_media(name) || named.content == fardel::ContentClass::data);
    return 0;
}
