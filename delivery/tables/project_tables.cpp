#include <fardel/delivery/project_tables.h>

#include <fardel/base/byte_reader.h>
#include <fardel/base/byte_writer.h>
#include <fardel/delivery/table_image.h>
#include <fardel/format/head.h>
#include <fardel/format/limits.h>
#include <fardel/format/prefix_codec.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace fardel {
namespace {

constexpr int kProjectTablesLevel = 5;

enum ProjectTablesForm : std::uint8_t { kWhole = 0, kAgainstHeld = 1 };

struct ImageHeads {
    BundleHead head;
    LayoutHead layout;
    // Nothing follows the layout: a root has no signatures.
    std::uint64_t file_bytes() const noexcept { return layout.trailer_offset; }
    TableImage image() const noexcept {
        return TableImage(head, layout, file_bytes(), TableImage::Derived::present, TableImage::Trailer::absent);
    }
};

Result<ImageHeads> read_heads(std::span<const std::byte> bytes, const BundleId* root) {
    HeadBytes head{};
    HeadBytes layout{};
    if (bytes.size() < head.size() + layout.size())
        return Error(ErrorCode::malformed, "tables of a project: shorter than two heads");
    std::memcpy(head.data(), bytes.data(), head.size());
    std::memcpy(layout.data(), bytes.data() + head.size(), layout.size());
    const BundleId id = bundle_id(head);
    if (root != nullptr && id != *root)
        return Error(ErrorCode::corrupt, "tables of a project: they are of another bundle");
    ImageHeads heads;
    FARDEL_TRY_ASSIGN(heads.head, decode_head(head));
    FARDEL_TRY_ASSIGN(heads.layout, decode_layout_head(layout));
    FARDEL_TRY(verify_sections(heads.head, id, heads.layout, heads.file_bytes()));
    return heads;
}

}  // namespace

Result<std::vector<std::byte>> read_project_image(const ByteSource& bundle) {
    std::vector<std::byte> bytes(2 * sizeof(HeadBytes));
    FARDEL_TRY(bundle.read_at(0, bytes));
    FARDEL_TRY_ASSIGN(const ImageHeads heads, read_heads(bytes, nullptr));
    const TableImage image = heads.image();
    if (image.size_bytes() > kProjectImageBytesMax)
        return Error(ErrorCode::limit, "the tables are larger than 32 MiB");
    bytes.resize(static_cast<std::size_t>(image.size_bytes()));
    FARDEL_TRY(image.read(bundle, 0, bytes));
    return bytes;
}

std::vector<std::byte> encode_project_tables(std::span<const std::byte> held, std::span<const std::byte> image) {
    ByteWriter writer;
    writer.u8(held.empty() ? kWhole : kAgainstHeld);
    writer.u64(image.size());
    writer.raw(encode_with_prefix(held, image, kProjectTablesLevel));
    return writer.take();
}

Result<std::vector<std::byte>> decode_project_tables(const BundleId& root, std::span<const std::byte> held,
                                                     std::span<const std::byte> answer) {
    ByteReader reader(answer, "tables of a project");
    const std::uint8_t form = reader.u8();
    const std::uint64_t size_bytes = reader.u64();
    if (form > kAgainstHeld)
        reader.fail(ErrorCode::malformed, "an unknown form");
    if (reader.failed())
        return reader.finish().error();
    if (size_bytes > kProjectImageBytesMax)
        return Error(ErrorCode::limit, "tables of a project: " + std::to_string(size_bytes) + " bytes");
    std::vector<std::byte> image(static_cast<std::size_t>(size_bytes));
    PrefixDecoder decoder;
    FARDEL_TRY(
        decoder.decode(form == kWhole ? std::span<const std::byte>() : held, reader.raw(reader.rest_bytes()), image));
    FARDEL_TRY_ASSIGN(const ImageHeads heads, read_heads(image, &root));
    if (heads.image().size_bytes() != image.size())
        return Error(ErrorCode::malformed, "tables of a project: not as long as their heads say");
    return image;
}

Status place_project_image(std::span<const std::byte> image,
                           const std::function<Status(std::uint64_t, std::span<const std::byte>)>& place) {
    constexpr std::size_t kPartBytes = 1u << 20;
    FARDEL_TRY_ASSIGN(const ImageHeads heads, read_heads(image, nullptr));
    for (std::size_t at = 0; at < image.size(); at += kPartBytes)
        FARDEL_TRY(heads.image().scatter(at, image.subspan(at, std::min(kPartBytes, image.size() - at)), place));
    return ok();
}

std::uint64_t project_file_bytes(std::span<const std::byte> image) {
    const auto heads = read_heads(image, nullptr);
    return heads ? heads->file_bytes() : 0;
}

}  // namespace fardel
