#include "format_scanners.h"

#include "byte_record.h"
#include "found_references.h"
#include "map_entity.h"
#include "script_text.h"

#include "scan/reference_scanners.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace fardel {
namespace {

constexpr std::size_t kLumps = 17;
constexpr std::size_t kBspHeaderBytes = 8 + 8 * kLumps;
constexpr std::size_t kEntitiesLump = 0;
constexpr std::size_t kShadersLump = 1;
constexpr std::size_t kFogsLump = 12;
constexpr std::size_t kSurfacesLump = 13;
constexpr std::size_t kBspSurfaceBytes = 104;
constexpr std::size_t kBspShaderBytes = 72;  // of a shader and of a fog
constexpr std::size_t kBspNameBytes = 64;

Error bad_bsp(std::string what) { return Error(ErrorCode::malformed, std::move(what)); }

Result<ByteRecord> find_lump(const ByteRecord& file, std::size_t lump) {
    const auto part = file.find_part(file.u32(8 + 8 * lump), file.u32(12 + 8 * lump));
    if (!part)
        return bad_bsp("lump " + std::to_string(lump) + " is outside the file");
    return *part;
}

// Which shaders a surface is drawn with. The other ones belong to brushes that only stop or hurt players.
Result<std::vector<bool>> find_drawn(const ByteRecord& surfaces, std::size_t shaders) {
    if (surfaces.size() % kBspSurfaceBytes != 0)
        return bad_bsp("lump " + std::to_string(kSurfacesLump) + " is not a whole number of records");
    std::vector<bool> drawn(shaders);
    for (std::size_t at = 0; at < surfaces.size(); at += kBspSurfaceBytes) {
        const std::uint32_t shader = surfaces.u32(at);
        if (shader >= shaders)
            return bad_bsp("a surface has shader " + std::to_string(shader) + " of " + std::to_string(shaders));
        drawn[shader] = true;
    }
    return drawn;
}

// `drawn`: per record of the lump whether the game looks the shader up.
Status scan_shaders(FoundReferences& found, const ByteRecord& lump, const std::vector<bool>& drawn) {
    for (std::size_t record = 0; record < drawn.size(); ++record) {
        const std::string_view name = lump.text_until_nul(record * kBspShaderBytes, kBspNameBytes);
        if (name != "noshader")  // the compiler writes it for a face without a shader
            FARDEL_TRY(
                found.add({.spelling = std::string(name), .use = ReferenceUse::shader, .optional = !drawn[record]}));
    }
    return ok();
}

Result<std::size_t> count_shaders(const ByteRecord& lump, std::size_t number) {
    if (lump.size() % kBspShaderBytes != 0)
        return bad_bsp("lump " + std::to_string(number) + " is not a whole number of records");
    return lump.size() / kBspShaderBytes;
}

// { "key" "value" … } …, up to the first NUL.
Status scan_entities(FoundReferences& found, std::string_view text) {
    ScriptText words(text);
    MapEntity entity;
    bool inside = false;
    while (true) {
        FARDEL_TRY_ASSIGN(const auto key, words.next());
        if (!key)
            return inside ? bad_bsp("the entities end inside an entity") : ok();
        if (key->is("{") || key->is("}")) {
            if (inside != key->is("}"))
                return bad_bsp("entities: { and } do not alternate");
            inside = !inside;
            FARDEL_TRY(entity.add_references(found, true));
            entity.end();
            continue;
        }
        FARDEL_TRY_ASSIGN(const auto value, words.next());
        if (!inside || !value || value->is("{") || value->is("}"))
            return bad_bsp("entities: a key has no value, or is outside an entity");
        FARDEL_TRY(entity.add(key->text, value->text, 0));
    }
}

}  // namespace

Result<ScanFindings> scan_bsp(std::span<const std::byte> bytes) {
    const ByteRecord file(bytes);
    if (file.size() < 8)
        return bad_bsp("too short for the header of a map");
    const std::uint32_t version = file.u32(4);
    if (file.text().substr(0, 4) != "IBSP" || (version != 46 && version != 47))
        return Error(ErrorCode::unsupported, "not a map of the versions IBSP 46 and 47");
    if (file.size() < kBspHeaderBytes)
        return bad_bsp("the list of lumps is cut off");

    FoundReferences found;
    FARDEL_TRY_ASSIGN(const ByteRecord shaders, find_lump(file, kShadersLump));
    FARDEL_TRY_ASSIGN(const std::size_t shader_count, count_shaders(shaders, kShadersLump));
    FARDEL_TRY_ASSIGN(const ByteRecord surfaces, find_lump(file, kSurfacesLump));
    FARDEL_TRY_ASSIGN(const std::vector<bool> drawn, find_drawn(surfaces, shader_count));
    FARDEL_TRY(scan_shaders(found, shaders, drawn));
    FARDEL_TRY_ASSIGN(const ByteRecord fogs, find_lump(file, kFogsLump));
    FARDEL_TRY_ASSIGN(const std::size_t fog_count, count_shaders(fogs, kFogsLump));
    FARDEL_TRY(scan_shaders(found, fogs, std::vector<bool>(fog_count, true)));
    FARDEL_TRY_ASSIGN(const ByteRecord entities, find_lump(file, kEntitiesLump));
    if (entities.size() > kScannedTextBytesMax)
        return Error(ErrorCode::limit, "entities of " + std::to_string(entities.size()) + " bytes");
    FARDEL_TRY(scan_entities(found, entities.text_until_nul(0, entities.size())));
    return std::move(found).take();
}

}  // namespace fardel
