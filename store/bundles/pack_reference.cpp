#include "bundles/pack_reference.h"

#include <fardel/base/byte_reader.h>
#include <fardel/base/byte_writer.h>
#include <fardel/format/hash.h>

#include <cstdint>
#include <string_view>

namespace fardel {
namespace {

constexpr std::string_view kReferenceMagic = "FARDELRF";
constexpr std::uint32_t kReferenceVersion = 1;

}  // namespace

std::vector<std::byte> encode_pack_reference(const PackReference& reference) {
    ByteWriter writer;
    writer.text(kReferenceMagic);
    writer.u32(kReferenceVersion);
    writer.fixed(reference.pack.id);
    writer.u64(reference.pack.size_bytes);
    writer.u8(reference.stamp.young ? 1 : 0);
    writer.u64(reference.stamp.inode);
    writer.u64(static_cast<std::uint64_t>(reference.stamp.modified_ns));
    writer.u64(static_cast<std::uint64_t>(reference.stamp.changed_ns));
    writer.sized_text<std::uint16_t>(reference.path);
    writer.fixed(blake3(writer.bytes()));
    return writer.take();
}

Result<PackReference> decode_pack_reference(std::span<const std::byte> bytes) {
    constexpr std::string_view kSubject = "pack reference";
    if (bytes.size() < sizeof(Hash))
        return Error(ErrorCode::malformed, "pack reference: too short");
    const auto fields = bytes.first(bytes.size() - sizeof(Hash));
    ByteReader checksum(bytes.last(sizeof(Hash)), kSubject);
    if (checksum.fixed<Hash>() != blake3(fields))
        return Error(ErrorCode::corrupt, "pack reference: its checksum differs");
    ByteReader reader(fields, kSubject);
    if (reader.text(kReferenceMagic.size()) != kReferenceMagic)
        return Error(ErrorCode::malformed, "pack reference: its first bytes are not those of a reference");
    if (const std::uint32_t version = reader.u32(); version != kReferenceVersion && !reader.failed())
        return Error(ErrorCode::unsupported, "pack reference: version " + std::to_string(version));
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
    if (!reader.failed() && (!reference.path.starts_with('/') || reference.path.find('\0') != std::string::npos))
        reader.fail(ErrorCode::malformed, "its path is not an absolute one");
    FARDEL_TRY(reader.finish());
    return reference;
}

}  // namespace fardel
