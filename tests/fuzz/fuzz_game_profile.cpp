// A text that parses as a game profile obeys the rules in game_profile.h, and the names that follow from it are bounded
// and well formed.
#include "require.h"

#include <fardel/format/name.h>
#include <fardel/packer/game_profile.h>
#include "scan/reference_scanners.h"

#include <algorithm>
#include <cstdint>

using namespace fardel;

namespace {

bool is_glob(const std::string& text) { return static_cast<bool>(verify_glob(text)); }

void check_globs(const GameProfile& profile) {
    std::size_t globs = profile.named_by_code.size() + profile.soft.size() + profile.companions.size();
    require(std::ranges::all_of(profile.named_by_code, is_glob));
    for (const SoftFiles& soft : profile.soft)
        require(is_glob(soft.files) && !soft.why.empty() && printable(soft.why, 2000) == soft.why);
    for (const Companion& companion : profile.companions)
        require(is_glob(companion.of) && !companion.name.empty());
    for (const Placement& placement : profile.placements) {
        require(is_glob(placement.files) && !placement.within.empty() &&
                std::ranges::all_of(placement.within, is_glob));
        require(!placement.why.empty() && printable(placement.why, 2000) == placement.why);
        globs += 1 + placement.within.size();
    }
    require(globs <= kProfileGlobsMax);
}

void check_names(const GameProfile& profile) {
    constexpr std::string_view kName = "maps/folder/level.bsp";
    std::vector<FoundReference> references = companions_of(kName, profile);
    require(references.size() <= profile.companions.size());
    for (int use = 0; use <= static_cast<int>(kReferenceUseLast); ++use)
        for (int form = 0; form <= static_cast<int>(kReferenceFormLast); ++form)
            for (const char* const spelling : {"models/players/a/head_b.tga", "a", "..\\a.b/c"})
                references.push_back({.spelling = spelling,
                                      .use = static_cast<ReferenceUse>(use),
                                      .form = static_cast<ReferenceForm>(form)});
    for (const FoundReference& reference : references) {
        const auto candidates = candidate_names(reference, kName, profile);
        require(candidates.size() <= 4 * (kProfileExtensionsMax + 2));
        for (const NameCandidate& candidate : candidates)
            require(candidate.kind == CandidateKind::shader ? !candidate.name.empty()
                                                            : static_cast<bool>(verify_name(candidate.name)));
    }
}

}  // namespace

int fuzz_game_profile(const std::uint8_t* data, std::size_t size) {
    const auto profile = parse_game_profile({reinterpret_cast<const char*>(data), size}, "game.toml");
    if (!profile) {
        const std::string& message = profile.error().message();
        require(message.starts_with("game.toml:") && printable(message, 100'000) == message);
        return 0;
    }
    require(profile->name.empty());
    for (const auto* const list : {&profile->texture_extensions, &profile->sound_extensions, &profile->model_extensions,
                                   &profile->video_extensions})
        require(list->size() <= kProfileExtensionsMax && std::ranges::none_of(*list, &std::string::empty));
    check_globs(*profile);
    check_names(*profile);
    return 0;
}
