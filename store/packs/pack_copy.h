// PackCopy: what records name of some packs, copied into a new one in the order of the bundles, each byte once.
//
// One thread.
#pragma once

#include "packs/store_folder.h"
#include "packs/store_record.h"

#include <fardel/base/result.h>
#include <fardel/format/byte_source.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

namespace fardel {

// Opens a pack that lies in the store, whatever its size.
Result<std::shared_ptr<const ByteSource>> open_listed_pack(const StoreFolder& folder, const PackId& pack);

class PackCopy {
public:
    // `packs` are those that are replaced. Borrows the folder and the writer.
    PackCopy(const StoreFolder& folder, std::span<const PackId> packs, PackWriter& writer);

    // Appends the bytes that the record names in these packs, except those that the new pack has already. Returns the
    // record that is to replace it; the name of the new pack is still missing in it. Errors: those of reading and
    // writing.
    Result<StoreRecord> add(const StoreRecord& record);
    // Puts the name of the new pack into a record that add() returned.
    static void name_new_pack(StoreRecord& record, const StorePack& sealed);

private:
    struct Piece {
        std::uint64_t length_bytes = 0;
        std::uint64_t new_offset = 0;
    };
    struct OldPack {
        std::shared_ptr<const ByteSource> source;  // nullptr: not opened yet
        std::map<std::uint64_t, Piece> pieces;     // that were copied, by their offset in the old pack
    };
    Result<Piece> find_or_copy(const PackId& id, OldPack& pack, std::uint64_t offset, std::uint64_t length_bytes);
    Result<std::uint64_t> copy(const ByteSource& source, std::uint64_t offset, std::uint64_t length_bytes);

    const StoreFolder& folder_;
    PackWriter& writer_;
    std::map<PackId, OldPack> packs_;
    std::vector<std::byte> bytes_;
};

}  // namespace fardel
