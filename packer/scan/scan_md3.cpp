#include "format_scanners.h"

#include "byte_record.h"
#include "found_references.h"

#include <string>
#include <utility>

namespace fardel {
namespace {

constexpr std::size_t kMd3HeaderBytes = 108;
constexpr std::size_t kSurfaceBytes = 108;
constexpr std::size_t kMd3ShaderBytes = 68;
constexpr std::size_t kMd3NameBytes = 64;
// The game accepts 32 surfaces with 256 shaders each; tools write more.
constexpr std::uint32_t kSurfacesMax = 4096;
constexpr std::uint32_t kSurfaceShadersMax = 4096;

Error bad_md3(std::string what) { return Error(ErrorCode::malformed, std::move(what)); }

Status scan_surface(FoundReferences& found, const ByteRecord& surface) {
    const std::uint32_t shaders = surface.u32(76);
    if (shaders > kSurfaceShadersMax)
        return Error(ErrorCode::limit, "a surface with " + std::to_string(shaders) + " shaders, at most " +
                                           std::to_string(kSurfaceShadersMax));
    const auto table = surface.find_part(surface.u32(92), shaders, kMd3ShaderBytes);
    if (!table)
        return bad_md3("the shaders of a surface are outside it");
    for (std::uint32_t i = 0; i < shaders; ++i)
        FARDEL_TRY(found.add({.spelling = std::string(table->text_until_nul(i * kMd3ShaderBytes, kMd3NameBytes)),
                              .use = ReferenceUse::shader}));
    return ok();
}

}  // namespace

Result<ScanFindings> scan_md3(std::span<const std::byte> bytes) {
    const ByteRecord file(bytes);
    if (file.size() < kMd3HeaderBytes || file.text().substr(0, 4) != "IDP3")
        return bad_md3("no header of an MD3");
    if (const std::uint32_t version = file.u32(4); version != 15)
        return Error(ErrorCode::unsupported, "version " + std::to_string(version) + " of MD3; only 15 is supported");
    const std::uint32_t surfaces = file.u32(84);
    if (surfaces > kSurfacesMax)
        return Error(ErrorCode::limit,
                     "a model with " + std::to_string(surfaces) + " surfaces, at most " + std::to_string(kSurfacesMax));

    FoundReferences found;
    std::uint64_t at = file.u32(100);
    for (std::uint32_t i = 0; i < surfaces; ++i) {
        const auto head = file.find_part(at, kSurfaceBytes);
        if (!head || head->text().substr(0, 4) != "IDP3")
            return bad_md3("surface " + std::to_string(i) + " has no header inside the file");
        const std::uint32_t size = head->u32(104);
        const auto surface = file.find_part(at, size);
        // At least a header, so that the walk moves on.
        if (size < kSurfaceBytes || !surface)
            return bad_md3("surface " + std::to_string(i) + " ends outside the file or inside its header");
        FARDEL_TRY(scan_surface(found, *surface));
        at += size;
    }
    return std::move(found).take();
}

}  // namespace fardel
