// Input: a byte that chooses a kind of record, then the record. It is refused, or it is exactly what its value encodes
// to.
#include <fardel/format/manifest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>

using namespace fardel;

namespace {

template <class Record>
void try_record(std::span<const std::byte> bytes) {
    const auto record = decode_record<Record>(bytes);
    if (!record) {
        const ErrorCode code = record.error().code();
        if (code != ErrorCode::malformed && code != ErrorCode::unsupported && code != ErrorCode::limit)
            std::abort();
        return;
    }
    std::vector<std::byte> again;
    encode_record(*record, again);
    if (!std::ranges::equal(again, bytes))
        std::abort();
    if constexpr (std::is_same_v<Record, AssetRecord>)  // the number of pieces is within the limit
        if (record->piece_count() > limits::kAssetBytesMax >> limits::kBlockLog2)
            std::abort();
}

}  // namespace

int fuzz_tables(const std::uint8_t* data, std::size_t size) {
    if (size == 0)
        return 0;
    const auto bytes = std::as_bytes(std::span(data + 1, size - 1));
    switch (TableKind{data[0]}) {
        using enum TableKind;
        case assets: try_record<AssetRecord>(bytes); break;
        case names: try_record<NameRecord>(bytes); break;
        case name_buckets: try_record<NameBucketRecord>(bytes); break;
        case variants: try_record<VariantRecord>(bytes); break;
        case tags: try_record<TagRecord>(bytes); break;
        case references: try_record<ReferenceRecord>(bytes); break;
        case foreign_assets: try_record<ForeignAssetRecord>(bytes); break;
        case consumes: try_record<ConsumeRecord>(bytes); break;
        case dependencies: try_record<DependencyRecord>(bytes); break;
        case metadata: try_record<MetadataRecord>(bytes); break;
        case placements: try_record<PlacementRecord>(bytes); break;
        case blocks: try_record<BlockRecord>(bytes); break;
        default: break;  // bytes, numbers and hashes: nothing to decode
    }
    return 0;
}
