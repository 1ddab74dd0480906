#include <fardel/store/cache_record.h>

#include <fardel/format/hash.h>

#include <algorithm>
#include <cstring>
#include <string_view>

namespace fardel {
namespace {

// magic 8 · version u32 · outputs u32 · key 32 · outputs · notes · BLAKE3 of all before. Texts: length u32, bytes.
// Output: name, asset id, size u64. Little-endian.
constexpr std::string_view kMagic = "FDLCACHE";
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kHashBytes = sizeof(Hash::bytes);

class Writer {
public:
    void bytes(const void* data, std::size_t size) {
        const auto* const first = static_cast<const std::byte*>(data);
        out_.insert(out_.end(), first, first + size);
    }
    void number(std::uint64_t value, std::size_t size) {
        for (std::size_t i = 0; i < size; ++i)
            out_.push_back(static_cast<std::byte>(value >> (8 * i)));
    }
    void text(std::string_view text) {
        number(text.size(), 4);
        bytes(text.data(), text.size());
    }
    std::vector<std::byte>& out() { return out_; }

private:
    std::vector<std::byte> out_;
};

// Past its end everything reads as zeros, and is_good() is false.
class Reader {
public:
    explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}

    std::span<const std::byte> bytes(std::size_t size) {
        if (size > bytes_.size()) {
            good_ = false;
            bytes_ = {};
            return {};
        }
        const auto taken = bytes_.first(size);
        bytes_ = bytes_.subspan(size);
        return taken;
    }
    std::uint64_t number(std::size_t size) {
        std::uint64_t value = 0;
        const auto taken = bytes(size);
        for (std::size_t i = 0; i < taken.size(); ++i)
            value |= std::to_integer<std::uint64_t>(taken[i]) << (8 * i);
        return value;
    }
    std::string text() {
        const auto taken = bytes(static_cast<std::size_t>(number(4)));
        return {reinterpret_cast<const char*>(taken.data()), taken.size()};
    }
    template <class Tag>
    Id32<Tag> id() {
        Id32<Tag> id;
        const auto taken = bytes(sizeof id.bytes);
        std::copy_n(reinterpret_cast<const std::uint8_t*>(taken.data()), taken.size(), id.bytes.begin());
        return id;
    }
    bool is_good() const { return good_; }
    bool is_at_end() const { return bytes_.empty(); }

private:
    std::span<const std::byte> bytes_;
    bool good_ = true;
};

Error malformed(std::string_view what) { return Error(ErrorCode::malformed, "cache record: " + std::string(what)); }

}  // namespace

Result<std::vector<std::byte>> encode_cache_record(const CacheRecord& record) {
    if (record.outputs.size() > kCachedOutputsMax)
        return Error(ErrorCode::limit, "cache record: " + std::to_string(record.outputs.size()) + " outputs; at most " +
                                           std::to_string(kCachedOutputsMax));
    Writer writer;
    writer.bytes(kMagic.data(), kMagic.size());
    writer.number(kVersion, 4);
    writer.number(record.outputs.size(), 4);
    writer.bytes(record.key.bytes.data(), record.key.bytes.size());
    for (const CachedOutput& output : record.outputs) {
        writer.text(output.name);
        writer.bytes(output.asset.bytes.data(), output.asset.bytes.size());
        writer.number(output.size_bytes, 8);
    }
    writer.text(record.notes);
    const Hash hash = blake3(writer.out());
    writer.bytes(hash.bytes.data(), kHashBytes);
    if (writer.out().size() > kCacheRecordBytesMax)
        return Error(ErrorCode::limit, "cache record: " + std::to_string(writer.out().size()) + " bytes; at most " +
                                           std::to_string(kCacheRecordBytesMax));
    return std::move(writer.out());
}

Result<CacheRecord> decode_cache_record(const BuildKey& key, std::span<const std::byte> bytes) {
    if (bytes.size() > kCacheRecordBytesMax)
        return Error(ErrorCode::limit, "cache record: " + std::to_string(bytes.size()) + " bytes; at most " +
                                           std::to_string(kCacheRecordBytesMax));
    if (bytes.size() < kMagic.size() + 8 + 2 * kHashBytes ||
        std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) != 0)
        return malformed("no such record");
    const auto body = bytes.first(bytes.size() - kHashBytes);
    if (std::memcmp(blake3(body).bytes.data(), bytes.data() + body.size(), kHashBytes) != 0)
        return Error(ErrorCode::corrupt, "cache record: its bytes are not those that were written");

    Reader reader(body.subspan(kMagic.size()));
    if (const auto version = reader.number(4); version != kVersion)
        return Error(ErrorCode::unsupported, "cache record: version " + std::to_string(version) +
                                                 "; this program knows " + std::to_string(kVersion));
    const auto count = static_cast<std::size_t>(reader.number(4));
    if (count > kCachedOutputsMax)
        return Error(ErrorCode::limit, "cache record: " + std::to_string(count) + " outputs; at most " +
                                           std::to_string(kCachedOutputsMax));
    CacheRecord record{.key = reader.id<BuildKeyTag>(), .outputs = {}, .notes = {}};
    if (record.key != key)
        return Error(ErrorCode::untrusted, "cache record: it is that of the key " + record.key.hex());
    for (std::size_t i = 0; i < count && reader.is_good(); ++i) {
        CachedOutput output{.name = reader.text(), .asset = reader.id<AssetTag>(), .size_bytes = reader.number(8)};
        record.outputs.push_back(std::move(output));
    }
    record.notes = reader.text();
    if (!reader.is_good() || !reader.is_at_end())
        return malformed("its lengths do not fit");
    return record;
}

}  // namespace fardel
