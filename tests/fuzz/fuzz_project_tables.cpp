// Input: the tables of a root of a project as a server sends them, and as they are after decoding. What is placed is in
// the file that the heads describe, and all of the image.
#include <fardel/delivery/project_tables.h>
#include "require.h"

#include <fardel/format/head.h>

#include <cstddef>
#include <cstdint>
#include <span>

using namespace fardel;

namespace {

void check_image(std::span<const std::byte> image) {
    const std::uint64_t file_bytes = project_file_bytes(image);
    std::size_t placed = 0;
    const Status status = place_project_image(image, [&](std::uint64_t offset, std::span<const std::byte> part) {
        require(offset <= file_bytes && part.size() <= file_bytes - offset);
        placed += part.size();
        return ok();
    });
    require(!status || placed == image.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto bytes = std::as_bytes(std::span(data, size));
    check_image(bytes);
    for (const auto held : {std::span<const std::byte>(), bytes}) {
        const auto image = decode_project_tables(BundleId{}, held, bytes);
        require(!image);  // no bundle has this id
    }
    return 0;
}
