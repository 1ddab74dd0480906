#include <fardel/format/sealed_record.h>

#include <fardel/format/hash.h>

#include <utility>

namespace fardel {

ByteWriter begin_sealed(const SealedKind& kind) {
    ByteWriter writer;
    writer.text(kind.magic);
    writer.u32(kind.version);
    return writer;
}

std::vector<std::byte> seal(ByteWriter writer) {
    writer.fixed(blake3(writer.bytes()));
    return writer.take();
}

Result<ByteReader> open_sealed(std::span<const std::byte> bytes, const SealedKind& kind) {
    const std::string subject(kind.subject);
    if (bytes.size() < kSealBytes)
        return Error(ErrorCode::malformed, subject + ": too short");
    const auto fields = bytes.first(bytes.size() - sizeof(Hash));
    ByteReader reader(fields, kind.subject);
    if (reader.text(kind.magic.size()) != kind.magic)
        return Error(ErrorCode::malformed, subject + ": its first bytes are those of something else");
    if (const std::uint32_t version = reader.u32(); version != kind.version && !reader.failed())
        return Error(ErrorCode::unsupported, subject + ": version " + std::to_string(version));
    ByteReader checksum(bytes.last(sizeof(Hash)), kind.subject);
    if (checksum.fixed<Hash>() != blake3(fields))
        return Error(ErrorCode::corrupt, subject + ": its checksum differs");
    return reader;
}

std::string index_path_of(const std::string& index_folder, const std::string& folder, std::string_view ending) {
    return index_folder + "/" + blake3(std::as_bytes(std::span(folder))).hex() + std::string(ending);
}

}  // namespace fardel
