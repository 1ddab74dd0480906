#include "scan_bsp.h"

#include "byte_record.h"
#include "found_references.h"
#include "map_entity.h"
#include "script_text.h"

#include <fardel/packer/reference_scanners.h>

#include <optional>
#include <string>
#include <utility>

namespace fardel {
namespace {

constexpr std::size_t kLumps = 17;
constexpr std::size_t kBspHeaderBytes = 8 + 8 * kLumps;
constexpr std::size_t kEntitiesLump = 0;
constexpr std::size_t kShadersLump = 1;
constexpr std::size_t kFogsLump = 12;
constexpr std::size_t kBspShaderBytes = 72;  // of a shader and of a fog
constexpr std::size_t kBspNameBytes = 64;

Error bad_bsp(std::string what) { return Error(ErrorCode::malformed, std::move(what)); }

Result<ByteRecord> find_lump(const ByteRecord& file, std::size_t lump) {
    const auto part = file.find_part(file.u32(8 + 8 * lump), file.u32(12 + 8 * lump));
    if (!part)
        return bad_bsp("lump " + std::to_string(lump) + " is outside the file");
    return *part;
}

Status scan_shaders(FoundReferences& found, const ByteRecord& lump, std::size_t number) {
    if (lump.size() % kBspShaderBytes != 0)
        return bad_bsp("lump " + std::to_string(number) + " is not a whole number of records");
    for (std::size_t at = 0; at < lump.size(); at += kBspShaderBytes) {
        const std::string_view name = lump.text_until_nul(at, kBspNameBytes);
        if (name != "noshader")  // the compiler writes it for a face without a shader
            FARDEL_TRY(found.add({.spelling = std::string(name), .use = ReferenceUse::shader}));
    }
    return ok();
}

// { "key" "value" … } …, up to the first NUL.
Status scan_entities(FoundReferences& found, std::string_view text) {
    ScriptText words(text);
    bool inside = false;
    while (true) {
        FARDEL_TRY_ASSIGN(const auto key, words.next());
        if (!key)
            return inside ? bad_bsp("the entities end inside an entity") : ok();
        if (key->is("{") || key->is("}")) {
            if (inside != key->is("}"))
                return bad_bsp("entities: { and } do not alternate");
            inside = !inside;
            continue;
        }
        FARDEL_TRY_ASSIGN(const auto value, words.next());
        if (!inside || !value || value->is("{") || value->is("}"))
            return bad_bsp("entities: a key has no value, or is outside an entity");
        FARDEL_TRY(add_entity_key(found, key->text, value->text, 0));
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
    for (const std::size_t lump : {kShadersLump, kFogsLump}) {
        FARDEL_TRY_ASSIGN(const ByteRecord part, find_lump(file, lump));
        FARDEL_TRY(scan_shaders(found, part, lump));
    }
    FARDEL_TRY_ASSIGN(const ByteRecord entities, find_lump(file, kEntitiesLump));
    if (entities.size() > kScannedTextBytesMax)
        return Error(ErrorCode::limit, "entities of " + std::to_string(entities.size()) + " bytes");
    FARDEL_TRY(scan_entities(found, entities.text_until_nul(0, entities.size())));
    return std::move(found).take();
}

}  // namespace fardel
