#include <fardel/delivery/delta_list.h>

#include <fardel/base/byte_reader.h>
#include <fardel/base/byte_writer.h>

#include <string_view>

namespace fardel {
namespace {

constexpr std::string_view kListMagic = "FARDELDL";
constexpr std::uint32_t kListVersion = 1;
constexpr std::size_t kListedBytes = 80;

}  // namespace

std::string delta_list_path_of(const BundleId& target) { return "deltas/" + target.hex() + "/list"; }
std::string delta_path_of(const BundleId& target, const BundleId& old) {
    return "deltas/" + target.hex() + "/" + old.hex() + ".delta";
}

std::vector<std::byte> encode_delta_list(const DeltaList& list) {
    ByteWriter writer;
    writer.text(kListMagic);
    writer.u32(kListVersion);
    writer.u32(static_cast<std::uint32_t>(list.size()));
    for (const ListedDelta& delta : list) {
        writer.fixed(delta.old_bundle);
        writer.fixed(delta.old_layout);
        writer.u64(delta.delta_bytes);
        writer.u64(delta.front_bytes);
    }
    return writer.take();
}

Result<DeltaList> decode_delta_list(std::span<const std::byte> bytes) {
    ByteReader reader(bytes, "list of deltas");
    if (reader.text(kListMagic.size()) != kListMagic)
        reader.fail(ErrorCode::malformed, "not a list of deltas");
    if (reader.u32() != kListVersion)
        reader.fail(ErrorCode::unsupported, "of another version than 1");
    const std::uint64_t count = reader.count<std::uint32_t>(kListedBytes);
    if (count > kListedDeltasMax)
        return Error(ErrorCode::limit, "list of deltas: " + std::to_string(count) + " deltas to one bundle");
    DeltaList list;
    for (std::uint64_t i = 0; i < count; ++i) {
        ListedDelta delta;
        delta.old_bundle = reader.fixed<BundleId>();
        delta.old_layout = reader.fixed<LayoutId>();
        delta.delta_bytes = reader.u64();
        delta.front_bytes = reader.u64();
        if (delta.front_bytes > delta.delta_bytes || (!list.empty() && !(list.back().old_bundle < delta.old_bundle)))
            reader.fail(ErrorCode::malformed, "an entry is wrong or out of order");
        list.push_back(delta);
    }
    FARDEL_TRY(reader.finish());
    return list;
}

}  // namespace fardel
