#include <fardel/cache/cache_record.h>

#include <fardel/base/byte_reader.h>
#include <fardel/base/byte_writer.h>
#include <fardel/format/envelope.h>
#include <fardel/format/hash.h>

#include <algorithm>
#include <string_view>

namespace fardel {
namespace {

// Magic 8 · version u32 · output count u32 · key 32 · outputs · notes · in version 2: public key 32 · signature 64 ·
// BLAKE3 of everything before. An output is a name, an asset id and a size u64. Texts are a length u32 and as many
// bytes. Integers are little-endian. Version 1 is unsigned; the signature of version 2 covers everything before the
// public key.
constexpr std::string_view kMagic = "FDLCACHE";
constexpr std::uint32_t kUnsignedVersion = 1;
constexpr std::uint32_t kSignedVersion = 2;
constexpr std::string_view kSignedType = "cache record";
constexpr std::size_t kBytesMin = kMagic.size() + 8 + sizeof(BuildKey::bytes) + sizeof(Hash::bytes);

Error above_limit(std::size_t found, std::string_view what, std::size_t most) {
    return Error(ErrorCode::limit, "cache record: " + std::to_string(found) + " " + std::string(what) + "; at most " +
                                       std::to_string(most) + " are allowed");
}

// Writes everything that a signature covers.
ByteWriter encode_signed_part(const CacheRecord& record, std::uint32_t version) {
    ByteWriter writer;
    writer.text(kMagic);
    writer.u32(version);
    writer.u32(static_cast<std::uint32_t>(record.outputs.size()));
    writer.fixed(record.key);
    for (const CachedOutput& output : record.outputs) {
        writer.sized_text<std::uint32_t>(output.name);
        writer.fixed(output.asset);
        writer.u64(output.size_bytes);
    }
    writer.sized_text<std::uint32_t>(record.notes);
    return writer;
}

std::vector<std::byte> message_of(const CacheRecord& record) {
    return signed_message(kSignedType, encode_signed_part(record, kSignedVersion).bytes());
}

}  // namespace

Result<std::vector<std::byte>> encode_cache_record(const CacheRecord& record) {
    if (record.outputs.size() > kCachedOutputsMax)
        return above_limit(record.outputs.size(), "outputs", kCachedOutputsMax);
    ByteWriter writer = encode_signed_part(record, record.signature ? kSignedVersion : kUnsignedVersion);
    if (record.signature) {
        writer.fixed(record.signature->key);
        writer.fixed(record.signature->signature);
    }
    writer.fixed(blake3(writer.bytes()));
    if (writer.size_bytes() > kCacheRecordBytesMax)
        return above_limit(writer.size_bytes(), "bytes", kCacheRecordBytesMax);
    return writer.take();
}

Status sign_cache_record(CacheRecord& record, Signer& signer) {
    if (record.outputs.size() > kCachedOutputsMax)
        return above_limit(record.outputs.size(), "outputs", kCachedOutputsMax);
    FARDEL_TRY_ASSIGN(const Signature signature, signer.sign(message_of(record)));
    record.signature = {.key = signer.public_key(), .signature = signature};
    return ok();
}

Status verify_cache_record(const CacheRecord& record, std::span<const PublicKey> signers) {
    if (!record.signature)
        return Error(ErrorCode::untrusted, "cache record: it is not signed");
    const PublicKey& key = record.signature->key;
    if (std::ranges::find(signers, key) == signers.end())
        return Error(ErrorCode::untrusted, "cache record: its signer is the key " + key_id(key) +
                                               ", which is not one of those that may sign");
    if (!verify_signature(key, message_of(record), record.signature->signature))
        return Error(ErrorCode::untrusted,
                     "cache record: the signature of the key " + key_id(key) + " does not fit what it says");
    return ok();
}

Result<CacheRecord> decode_cache_record(const BuildKey& key, std::span<const std::byte> bytes) {
    if (bytes.size() > kCacheRecordBytesMax)
        return above_limit(bytes.size(), "bytes", kCacheRecordBytesMax);
    if (bytes.size() < kBytesMin || !std::ranges::equal(bytes.first(kMagic.size()), std::as_bytes(std::span(kMagic))))
        return Error(ErrorCode::malformed, "cache record: it does not begin as one");
    const auto body = bytes.first(bytes.size() - sizeof(Hash::bytes));
    const Hash hash = blake3(body);
    if (!std::ranges::equal(std::as_bytes(std::span(hash.bytes)), bytes.subspan(body.size())))
        return Error(ErrorCode::corrupt, "cache record: its bytes differ from those that were written");

    ByteReader reader(body.subspan(kMagic.size()), "cache record");
    const std::uint32_t version = reader.u32();
    if (version != kUnsignedVersion && version != kSignedVersion)
        return Error(ErrorCode::unsupported, "cache record: version " + std::to_string(version) +
                                                 "; this program supports " + std::to_string(kUnsignedVersion) +
                                                 " and " + std::to_string(kSignedVersion));
    const std::size_t count = reader.u32();
    if (count > kCachedOutputsMax)
        return above_limit(count, "outputs", kCachedOutputsMax);
    CacheRecord record;
    record.key = reader.fixed<BuildKey>();
    // A server could answer a question with another job's record, which is signed and whole as well.
    if (record.key != key)
        return Error(ErrorCode::untrusted, "cache record: it belongs to the key " + record.key.hex());
    for (std::size_t i = 0; i < count && !reader.failed(); ++i) {
        CachedOutput output;
        output.name = reader.text(reader.u32());
        output.asset = reader.fixed<AssetId>();
        output.size_bytes = reader.u64();
        record.outputs.push_back(std::move(output));
    }
    record.notes = reader.text(reader.u32());
    if (version == kSignedVersion) {
        CacheSignature& signature = record.signature.emplace();
        signature.key = reader.fixed<PublicKey>();
        signature.signature = reader.fixed<Signature>();
    }
    FARDEL_TRY(reader.finish());
    return record;
}

}  // namespace fardel
