// libfardel-physfs-preload.so in a real game: what reaches the terminal.
#include "kit/files.h"
#include "kit/program.h"
#include "vfs/test_bundle.h"

namespace fardel::tests::physfs_preload_test {

Outcome play(const std::vector<std::string>& archives,
             std::vector<std::pair<std::string, std::string>> variables = {}) {
    variables.emplace_back("LD_PRELOAD", FARDEL_PHYSFS_PRELOAD);
    Arguments words = {FARDEL_PHYSFS_GAME};
    words.insert(words.end(), archives.begin(), archives.end());
    return run_program(words, {.variables = std::move(variables)});
}

// Printable ASCII in lines, each of which begins with "fardel: ".
bool is_safe(std::string_view text) {
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        if (!line.starts_with("fardel: ") ||
            !std::ranges::all_of(line, [](char c) { return static_cast<unsigned char>(c) >= ' ' && c != 0x7f; }))
            return false;
        text.remove_prefix(std::min(line.size() + 1, text.size()));
    }
    return true;
}

// Sets the title and colours of a terminal, erases a line, and begins one of its own.
const std::string kHostile =
    "a\x1b]0;title\x07\x1b[31m\x1b[2K\r\nfardel: all is well\x9b"
    "31m\u202e\x7f";

TEST_CASE("preload: a bundle is mounted only if it is trusted or unsigned ones are allowed") {
    const ScratchFolder scratch;
    const std::string bundle = scratch.write("x.fardel", BundleMaker().add("a.txt", "a").write());
    CHECK(play({bundle}).exit_code == 0);
    CHECK(play({bundle}, {{"FARDEL_ALLOW_UNSIGNED", "1"}}).exit_code == 1);
}

TEST_CASE("preload: a preference for variants that is none is said, and the game runs with the first ones") {
    const ScratchFolder scratch;
    const std::string bundle = scratch.write("x.fardel", BundleMaker().add_variants("a", {"0", "1"}).write());
    const Outcome good = play({bundle}, {{"FARDEL_ALLOW_UNSIGNED", "1"}, {"FARDEL_VARIANTS", "quality=1 lang=fr"}});
    CHECK(good.exit_code == 1);
    CHECK(good.err.empty());
    const Outcome bad = play({bundle}, {{"FARDEL_ALLOW_UNSIGNED", "1"}, {"FARDEL_VARIANTS", "quality"}});
    CHECK(bad.exit_code == 1);
    CHECK(bad.err.starts_with("fardel: FARDEL_VARIANTS: malformed: "));
}

// A133
TEST_CASE("preload: names of archives, of bundles in a set file and of the policy reach the terminal escaped") {
    const ScratchFolder scratch;
    const Bytes bundle = BundleMaker().add("a.txt", "a").write();
    const std::string named = scratch.write(kHostile + ".fardel", bundle);
    const std::string set = scratch.write("mods.fardel", "fardel-set 1\na\x1b]0;title\x07\x1b[31m.fardel\n");
    const std::string up = scratch.write("up.fardel", "fardel-set 1\n../\x1b[31m.fardel\n");
    Bytes damaged = bundle;
    damaged.resize(damaged.size() / 2);
    const std::string cut = scratch.write(kHostile + "cut", damaged);
    for (const auto& [archive, reason] : std::vector<std::pair<std::string, std::string>>{
             {named, "untrusted"}, {set, "missing"}, {up, "denied"}, {cut, ""}}) {
        const Outcome outcome = play({archive});
        CHECK(outcome.exit_code == 0);
        CHECK(is_safe(outcome.err));
        CHECK(std::ranges::count(outcome.err, '\n') == 1);
        CHECK(outcome.err.find(reason) != std::string::npos);
        CHECK(outcome.err.find("\\u{1b}") != std::string::npos);
    }
    const Outcome policy = play({named}, {{"FARDEL_TRUST", scratch.path(kHostile)}});
    CHECK(is_safe(policy.err));
    CHECK(std::ranges::count(policy.err, '\n') == 2);
    CHECK(policy.err.starts_with("fardel: FARDEL_TRUST: "));
}

}  // namespace fardel::tests::physfs_preload_test
