#include "retention/leased_ids.h"

#include <fardel/base/byte_reader.h>
#include <fardel/base/byte_writer.h>

#include <cstdint>
#include <string_view>

namespace fardel {
namespace {

constexpr std::string_view kLeaseMagic = "FARDELSL";

}  // namespace

std::vector<std::byte> encode_lease(const LeasedIds& ids) {
    ByteWriter writer;
    writer.text(kLeaseMagic);
    writer.u32(static_cast<std::uint32_t>(ids.bundles.size()));
    writer.u32(static_cast<std::uint32_t>(ids.packs.size()));
    for (const BundleId& bundle : ids.bundles)
        writer.fixed(bundle);
    for (const Hash& pack : ids.packs)
        writer.fixed(pack);
    return writer.take();
}

std::optional<LeasedIds> decode_lease(std::span<const std::byte> bytes) {
    LeasedIds ids;
    if (bytes.empty())
        return ids;
    ByteReader reader(bytes, "lease");
    const bool is_lease = reader.text(kLeaseMagic.size()) == kLeaseMagic;
    const std::uint64_t bundles = reader.u32();
    const std::uint64_t packs = reader.u32();
    if (!is_lease || reader.failed() || reader.rest_bytes() != (bundles + packs) * sizeof(Hash))
        return std::nullopt;
    for (std::uint64_t i = 0; i < bundles; ++i)
        ids.bundles.push_back(reader.fixed<BundleId>());
    for (std::uint64_t i = 0; i < packs; ++i)
        ids.packs.push_back(reader.fixed<Hash>());
    return ids;
}

}  // namespace fardel
