#include <fardel/delivery/delta_tables.h>

#include <fardel/base/fits.h>
#include <fardel/format/head.h>

#include <algorithm>
#include <optional>
#include <string>

namespace fardel {
namespace {

Result<std::vector<std::byte>> read_part(const ByteSource& source, std::uint64_t offset, std::uint64_t length_bytes) {
    std::vector<std::byte> bytes(static_cast<std::size_t>(length_bytes));
    FARDEL_TRY(source.read_at(offset, bytes));
    return bytes;
}

struct Heads {
    BundleHead bundle;
    LayoutHead layout;
};

// `tables`: the first ones that the delta gives.
Result<Heads> decode_heads(const DeltaHead& delta, std::span<const std::byte> tables) {
    HeadBytes head{};
    HeadBytes layout{};
    if (tables.size() < head.size() + layout.size())
        return Error(ErrorCode::malformed, "the delta gives no heads");
    std::copy_n(tables.begin(), head.size(), head.begin());
    std::copy_n(tables.begin() + head.size(), layout.size(), layout.begin());
    if (bundle_id(head) != delta.new_bundle || layout_id(layout) != delta.new_layout)
        return Error(ErrorCode::corrupt, "the delta gives the heads of another bundle than it says");
    Heads heads;
    FARDEL_TRY_ASSIGN(heads.bundle, decode_head(head));
    FARDEL_TRY_ASSIGN(heads.layout, decode_layout_head(layout));
    FARDEL_TRY(verify_sections(heads.bundle, delta.new_bundle, heads.layout, delta.file_bytes));
    return heads;
}

}  // namespace

Result<DeltaFront> open_delta_front(const ByteSource& delta) {
    if (delta.size_bytes() < kDeltaHeadBytes)
        return Error(ErrorCode::malformed, "not a delta");
    DeltaFront front;
    FARDEL_TRY_ASSIGN(const auto head, read_part(delta, 0, kDeltaHeadBytes));
    FARDEL_TRY_ASSIGN(front.head, decode_delta_head(head));
    if (front.head.delta_bytes() != delta.size_bytes())
        return Error(ErrorCode::malformed, "the delta has " + std::to_string(delta.size_bytes()) +
                                               " bytes; its head says " + std::to_string(front.head.delta_bytes()));
    FARDEL_TRY_ASSIGN(const auto directory, read_part(delta, kDeltaHeadBytes, front.head.directory_bytes));
    FARDEL_TRY_ASSIGN(front.directory, decode_delta_directory(front.head, directory));
    return front;
}

Status verify_old_bundle(const Bundle* old, const DeltaHead& head) {
    if (head.old_bundle != (old ? old->id() : BundleId{}))
        return Error(ErrorCode::conflict, "the delta is for another bundle, " + head.old_bundle.hex());
    if (head.old_layout != (old ? old->layout_id() : LayoutId{}))
        return Error(ErrorCode::conflict, "the delta is for another layout of this bundle");
    return ok();
}

Result<std::vector<std::byte>> TableDecoder::decode(const DeltaTables& segment, std::span<const std::byte> frame) {
    if (!fits(segment.prefix_offset, segment.prefix_bytes, image_.size_bytes()))
        return Error(ErrorCode::malformed, "delta: it refers to more tables than the old bundle has");
    prefix_.resize(segment.prefix_bytes);
    if (old_)
        FARDEL_TRY(image_.read(*old_->source(), segment.prefix_offset, prefix_));
    std::vector<std::byte> tables(segment.raw_bytes);
    FARDEL_TRY(decoder_.decode(prefix_, frame, tables));
    return tables;
}

Result<bool> place_delta_tables(const Bundle* old, const DeltaFront& front, const ByteSource& delta,
                                std::uint64_t tables_bytes_max, const TablesPlace& place) {
    FARDEL_TRY(verify_old_bundle(old, front.head));
    TableDecoder decoder(old);
    std::optional<TableImage> image;
    std::uint64_t image_bytes = 0;
    for (const DeltaTables& segment : front.directory.tables)
        image_bytes += segment.raw_bytes;
    std::uint64_t frame_offset = kDeltaHeadBytes + front.head.directory_bytes;
    std::uint64_t offset = 0;
    for (const DeltaTables& segment : front.directory.tables) {
        FARDEL_TRY_ASSIGN(const auto frame, read_part(delta, frame_offset, segment.frame_bytes));
        FARDEL_TRY_ASSIGN(const auto tables, decoder.decode(segment, frame));
        if (!image) {
            FARDEL_TRY_ASSIGN(const Heads heads, decode_heads(front.head, tables));
            image.emplace(heads.bundle, heads.layout, front.head.file_bytes);
            if (image->size_bytes() != image_bytes)
                return Error(ErrorCode::malformed, "the delta gives tables of another size");
            if (!fits(heads.bundle.manifest_bytes, heads.layout.layout_bytes, tables_bytes_max))
                return false;
            FARDEL_TRY(place.set_file_bytes(front.head.file_bytes));
        }
        FARDEL_TRY(image->scatter(offset, tables, place.write));
        frame_offset += segment.frame_bytes;
        offset += tables.size();
    }
    return image ? Result<bool>(true) : Error(ErrorCode::malformed, "the delta gives no heads");
}

}  // namespace fardel
