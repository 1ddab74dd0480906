// Input: a zip. Whatever the bytes, every accepted entry lies inside them, does not overlap others, and is shown to
// PhysicsFS as a separate zip that contains only this entry.
#include "require.h"
#include "zip_directory.h"
#include "zip_entry_source.h"
#include "zip_signature.h"

#include <fardel/format/byte_source.h>

#include <span>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto bytes = std::as_bytes(std::span(data, size));
    const auto source = fardel::make_memory_source({bytes.begin(), bytes.end()});
    const auto directory = fardel::read_zip_directory(*source);
    if (!directory)
        return 0;
    require(*fardel::ends_like_zip(*source) && directory->data_end <= size);
    std::uint64_t stored_bytes = 0;
    for (const fardel::ZipEntry& entry : directory->entries) {
        stored_bytes += entry.stored_bytes;
        const auto offset = fardel::read_zip_data_offset(*source, directory->data_end, entry);
        if (!offset || entry.encrypted || entry.raw_bytes > fardel::kZipEntryBytesMax)
            continue;
        require(*offset + entry.stored_bytes <= directory->data_end);
        const auto alone = fardel::make_zip_entry_source(source, *offset, entry);
        const auto again = fardel::read_zip_directory(*alone);
        require(again && again->entries.size() == 1 && again->entries[0].name == fardel::kZipEntryName);
        require(again->entries[0].stored_bytes == entry.stored_bytes && again->entries[0].raw_bytes == entry.raw_bytes);
        require(again->entries[0].crc32 == entry.crc32 && again->entries[0].method == entry.method);
    }
    require(stored_bytes <= size);
    return 0;
}
