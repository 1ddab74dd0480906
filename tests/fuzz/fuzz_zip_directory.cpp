// Input: a zip. Whatever the bytes, every accepted entry lies inside them and does not overlap others, and what is read
// of it has at most its size.
#include "require.h"
#include "zip_blob.h"
#include "zip_signature.h"

#include <fardel/format/byte_source.h>

#include <span>
#include <vector>

int fuzz_zip_directory(const std::uint8_t* data, std::size_t size) {
    const auto bytes = std::as_bytes(std::span(data, size));
    const auto source = fardel::make_memory_source({bytes.begin(), bytes.end()});
    const auto directory = fardel::read_zip_directory(*source);
    if (!directory)
        return 0;
    require(*fardel::ends_like_zip(*source) && directory->data_end <= size);
    fardel::ZipBlobs blobs(source, directory->data_end, std::nullopt);
    std::vector<std::byte> room(100'000);  // a part of what a few bytes may expand to
    std::uint64_t stored_bytes = 0;
    for (const fardel::ZipEntry& entry : directory->entries) {
        stored_bytes += entry.stored_bytes;
        if (entry.encrypted || (entry.method != fardel::kZipStored && entry.method != fardel::kZipDeflated))
            continue;
        const auto offset = fardel::read_zip_data_offset(*source, directory->data_end, entry);
        require(!offset || *offset + entry.stored_bytes <= directory->data_end);
        const auto stream = blobs.add(entry, fardel::EntryOrigin("entry"))->open();
        require(stream.has_value() == offset.has_value());
        if (!stream)
            continue;
        const auto count = (*stream)->read(room);
        require(count ? *count <= entry.raw_bytes && (*count > 0 || entry.raw_bytes == 0)
                      : count.error().code() == fardel::ErrorCode::corrupt);
    }
    require(stored_bytes <= size);
    return 0;
}
