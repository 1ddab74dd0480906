#include "packs/pack_reference.h"

#include <fardel/base/path_text.h>

#include <fardel/format/sealed_record.h>

#include <cstdint>
#include <utility>

namespace fardel {
namespace {

constexpr SealedKind kReferenceKind{.subject = "pack reference", .magic = "FARDELRF", .version = 1};

}  // namespace

std::vector<std::byte> encode_pack_reference(const PackReference& reference) {
    ByteWriter writer = begin_sealed(kReferenceKind);
    writer.fixed(reference.pack.id);
    writer.u64(reference.pack.size_bytes);
    writer.u8(reference.stamp.young ? 1 : 0);
    writer.u64(reference.stamp.inode);
    writer.u64(static_cast<std::uint64_t>(reference.stamp.modified_ns));
    writer.u64(static_cast<std::uint64_t>(reference.stamp.changed_ns));
    writer.sized_text<std::uint16_t>(reference.path);
    return seal(std::move(writer));
}

Result<PackReference> decode_pack_reference(std::span<const std::byte> bytes) {
    FARDEL_TRY_ASSIGN(ByteReader reader, open_sealed(bytes, kReferenceKind));
    PackReference reference;
    reference.pack.id = reader.fixed<PackId>();
    reference.pack.size_bytes = reader.u64();
    const std::uint8_t young = reader.u8();
    if (young > 1)
        reader.fail(ErrorCode::malformed, "its stamp is neither young nor old");
    reference.stamp = {.kind = StampKind::file, .young = young == 1, .size_bytes = reference.pack.size_bytes};
    reference.stamp.inode = reader.u64();
    reference.stamp.modified_ns = static_cast<std::int64_t>(reader.u64());
    reference.stamp.changed_ns = static_cast<std::int64_t>(reader.u64());
    reference.path = reader.sized_text<std::uint16_t>(kReferencePathMax, "path");
    if (!reader.failed() && (!is_absolute_path(reference.path) || reference.path.find('\0') != std::string::npos))
        reader.fail(ErrorCode::malformed, "its path is not an absolute one");
    FARDEL_TRY(reader.finish());
    return reference;
}

}  // namespace fardel
