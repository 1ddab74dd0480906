// Input: a whole file. Its end is no record, is refused, or is exactly what its value encodes to; the bundle that it
// names is inside the file.
#include <fardel/format/appended_record.h>
#include <fardel/format/byte_source.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>

int fuzz_appended_record(const std::uint8_t* data, std::size_t size) {
    using namespace fardel;
    const auto bytes = std::as_bytes(std::span(data, size));
    const auto file = make_memory_source({bytes.begin(), bytes.end()});
    const auto found = find_appended_record(*file);
    const auto opened = open_appended_source(file);
    if (!found || !*found) {
        const ErrorCode code = opened ? ErrorCode::io : opened.error().code();
        if (code != ErrorCode::malformed && code != ErrorCode::unsupported && code != ErrorCode::missing)
            std::abort();
        return 0;
    }
    const auto encoded = encode_appended_record(**found);
    if (!opened || (*found)->file_bytes() != size || !std::ranges::equal(bytes.last(encoded.size()), encoded))
        std::abort();
    std::vector<std::byte> all(static_cast<std::size_t>((*opened)->size_bytes()));
    if (!(*opened)->read_at(0, all) || !std::ranges::equal(all, bytes.subspan((*found)->bundle_offset(), all.size())))
        std::abort();
    return 0;
}
