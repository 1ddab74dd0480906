#include <fardel/packer/game_profile.h>

#include "game_profile_texts.h"
#include "project_reader.h"

#include "scan/reference_scanners.h"

#include <fardel/base/file.h>
#include <fardel/base/path_text.h>
#include <fardel/format/name.h>
#include <fardel/packer/nearest_word.h>

#include <algorithm>
#include <span>
#include <utility>

namespace fardel {
namespace {

constexpr std::size_t kReasonBytesMax = 500;

// ---- Keys -----------------------------------------------------------------------------------------------------------

Status verify_extension(std::string_view text) {
    const bool plain = !text.empty() && text.find_first_of("./\\*?") == text.npos;
    return plain ? ok() : Status(Error(ErrorCode::malformed, "not an extension without its dot"));
}

template <auto member>
void read_extensions(const KeyValue& value, GameProfile& profile) {
    // The list in the text replaces the default.
    (profile.*member).clear();
    value.read(profile.*member, verify_extension);
    if ((profile.*member).size() > kProfileExtensionsMax)
        value.mistakes.add(value.entry.value.at,
                           "more than " + std::to_string(kProfileExtensionsMax) + " extensions; remove some",
                           ErrorCode::limit);
}

constexpr Key<GameProfile> kExtensionKeys[] = {
    {"texture", read_extensions<&GameProfile::texture_extensions>, "texture = [\"tga\", \"png\"]"},
    {"sound", read_extensions<&GameProfile::sound_extensions>, "sound = [\"wav\", \"ogg\"]"},
    {"model", read_extensions<&GameProfile::model_extensions>, "model = [\"glb\"]"},
    {"video", read_extensions<&GameProfile::video_extensions>, "video = [\"roq\"]"},
    {"speaker", read_member<&GameProfile::speaker_suffix>, "speaker = \".wav\""},
    {"relative", read_member<&GameProfile::relative_extensions>},
};

Status verify_image_word(std::string_view text) {
    const bool plain =
        !text.empty() && std::ranges::all_of(text, [](char c) { return c > ' ' && c != '{' && c != '}'; });
    return plain ? ok() : Status(Error(ErrorCode::malformed, "not one word"));
}

void read_image_words(const KeyValue& value, GameProfile& profile) {
    value.read(profile.image_words, verify_image_word);
    if (profile.image_words.size() > kProfileWordsMax)
        value.mistakes.add(value.entry.value.at,
                           "more than " + std::to_string(kProfileWordsMax) + " words; remove some", ErrorCode::limit);
}

Status verify_scanner_name(std::string_view text) {
    const auto names = scanner_names();
    if (std::ranges::find(names, text) != names.end())
        return ok();
    return Error(ErrorCode::malformed, "no scanner has this name; " + suggest_word(text, names, "they are: "));
}

constexpr Key<GameProfile> kProfileScannerKeys[] = {
    {"off", read_verified<verify_scanner_name, &GameProfile::scanners_off>, "off = [\"map\"]"},
};

constexpr Key<GameProfile> kProfileShaderKeys[] = {
    {"exact_names", read_member<&GameProfile::exact_shader_names>},
    {"last_script_defines", read_member<&GameProfile::last_script_defines>},
    {"named_by_code", read_verified<verify_glob, &GameProfile::named_by_code>, "named_by_code = [\"gfx/**\"]"},
    {"image_words", read_image_words, "image_words = [\"diffuseMap\"]"},
};

constexpr Key<GameProfile> kModsKeys[] = {
    {"publish", read_verified<verify_glob, &GameProfile::mods_publish>, "publish = [\"textures/**\"]"},
};

constexpr Key<SoftFiles> kSoftKeys[] = {
    {"files", read_verified<verify_glob, &SoftFiles::files>, "files = \"**/*.map\""},
    {"why", read_member<&SoftFiles::why>, "why = \"only tools read it\""},
};

void read_companion_use(const KeyValue& value, Companion& companion) {
    value.read_word(companion.use, find_reference_use, "use = \"texture\"");
}

constexpr Key<Companion> kCompanionKeys[] = {
    {"of", read_verified<verify_glob, &Companion::of>, "of = \"maps/*.bsp\""},
    {"name", read_member<&Companion::name>, "name = \"{path}.aas\""},
    {"use", read_companion_use, "use = \"texture\""},
};

constexpr Key<Placement> kPlacementKeys[] = {
    {"files", read_verified<verify_glob, &Placement::files>, "files = \"**/*.shader\""},
    {"within", read_verified<verify_glob, &Placement::within>, "within = [\"scripts/*.shader\"]"},
    {"why", read_member<&Placement::why>, "why = \"the game reads scripts in scripts/\""},
};

template <const auto& keys>
void read_part(const KeyValue& value, GameProfile& profile) {
    if (const auto* const table = value.expect<TomlTable>())
        read_table<GameProfile>(*table, "in [" + value.entry.key + "]", keys, profile, value.mistakes);
}

void finish_soft(SoftFiles& soft, TomlPosition at, Mistakes& mistakes) {
    if (soft.files.empty() || soft.why.empty())
        mistakes.add(at, "a [[soft]] has 'files' and 'why'; write files = \"**/*.map\"");
    soft.why = printable(soft.why, kReasonBytesMax);
}

void finish_companion(Companion& companion, TomlPosition at, Mistakes& mistakes) {
    if (companion.of.empty() || companion.name.empty())
        mistakes.add(at, "a [[companion]] has 'of' and 'name'; write of = \"maps/*.bsp\", name = \"{path}.aas\"");
}

void finish_placement(Placement& placement, TomlPosition at, Mistakes& mistakes) {
    if (placement.files.empty() || placement.within.empty() || placement.why.empty())
        mistakes.add(at, "a [[placement]] has 'files', 'within' and 'why'; write within = [\"scripts/*.shader\"]");
    placement.why = printable(placement.why, kReasonBytesMax);
}

constexpr Key<GameProfile> kProfileKeys[] = {
    {"extensions", read_part<kExtensionKeys>, "[extensions] above its keys"},
    {"scanners", read_part<kProfileScannerKeys>, "[scanners] above its keys"},
    {"shaders", read_part<kProfileShaderKeys>, "[shaders] above its keys"},
    {"mods", read_part<kModsKeys>, "[mods] above its keys"},
    {"soft", read_tables<kSoftKeys, finish_soft, &GameProfile::soft>},
    {"companion", read_tables<kCompanionKeys, finish_companion, &GameProfile::companions>},
    {"placement", read_tables<kPlacementKeys, finish_placement, &GameProfile::placements>},
};

// ---- Profiles in files and in the program ---------------------------------------------------------------------------

std::size_t count_globs(const GameProfile& profile) {
    std::size_t globs =
        profile.named_by_code.size() + profile.mods_publish.size() + profile.soft.size() + profile.companions.size();
    for (const Placement& placement : profile.placements)
        globs += 1 + placement.within.size();
    return globs;
}

std::span<const GameProfileText> profile_texts() { return {kGameProfileTexts, kGameProfileCount}; }

}  // namespace

const GameProfile& no_profile() noexcept {
    static const GameProfile none;
    return none;
}

Result<GameProfile> parse_game_profile(std::string_view text, std::string_view file) {
    if (text.size() > kProfileBytesMax)
        return Error(ErrorCode::limit, printable(file) + ": longer than " + std::to_string(kProfileBytesMax) +
                                           " bytes; is it the right file?");
    FARDEL_TRY_ASSIGN(const TomlTable table, parse_toml(text, file));
    GameProfile profile;
    Mistakes mistakes(file);
    read_table<GameProfile>(table, "in a profile", kProfileKeys, profile, mistakes);
    FARDEL_TRY(mistakes.status());
    if (const std::size_t globs = count_globs(profile); globs > kProfileGlobsMax)
        return Error(ErrorCode::limit, printable(file) + ": " + std::to_string(globs) +
                                           " globs; a profile has at most " + std::to_string(kProfileGlobsMax));
    return profile;
}

bool is_profile_file(std::string_view word) noexcept { return word.ends_with(".toml"); }

Result<std::shared_ptr<const GameProfile>> read_game_profile(const std::string& path, ProfileLinks links) {
    const std::string subject = printable(path);
    FARDEL_TRY_ASSIGN(
        const RegularFile file,
        open_regular_file(path, subject, {.links = links == ProfileLinks::refused ? Links::refused : Links::followed}));
    FARDEL_TRY_ASSIGN(const std::string text, read_text(file.descriptor, kProfileBytesMax, subject));
    FARDEL_TRY_ASSIGN(GameProfile profile, parse_game_profile(text, path));
    profile.name = stem_of_path(path);
    return std::make_shared<const GameProfile>(std::move(profile));
}

Result<std::shared_ptr<const GameProfile>> load_game_profile(const std::string& name_or_path) {
    return is_profile_file(name_or_path) ? read_game_profile(name_or_path, ProfileLinks::followed)
                                         : find_game_profile(name_or_path);
}

Result<std::shared_ptr<const GameProfile>> find_game_profile(std::string_view name) {
    const auto texts = profile_texts();
    const auto at = std::ranges::find(texts, name, &GameProfileText::name);
    if (at == texts.end()) {
        std::string known;
        for (const GameProfileText& text : texts)
            known += (known.empty() ? "" : ", ") + std::string(text.name);
        return Error(ErrorCode::missing, "there is no profile " + in_short_quotes(name) +
                                             "; the profiles are: " + known + "; a file of your own ends in .toml");
    }
    FARDEL_TRY_ASSIGN(GameProfile profile, parse_game_profile(at->toml, std::string(name) + ".toml"));
    profile.name = name;
    return std::make_shared<const GameProfile>(std::move(profile));
}

}  // namespace fardel
