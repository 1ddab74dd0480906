// Variants on every face: references that lead to them, --variants of the verbs, a mount that is switched, and one
// game's content through C++, C, PhysicsFS, FUSE, `cat` and `extract`.
#include "mounted_folder.h"
#include "sample.h"

#include "vfs/physfs/physfs_game.h"

#include <fardel/vfs/fardel.h>
#include <fardel/vfs/pure_check.h>
#include <fardel/vfs/pure_policy.h>
#include <fardel/vfs/vfs.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <functional>
#include <map>

namespace fardel::tests::variants_test {

using nlohmann::json;

// ---- References to variants -----------------------------------------------------------------------------------------

// A picture of which the formats are variants, and a shader that spells its name with and without an extension.
void make_water(const ScratchFolder& scratch) {
    for (const char* format : {"png", "tga", "ktx"})
        scratch.write("game/textures/base/water." + std::string(format), "water as " + std::string(format));
    scratch.write("game/scripts/s.shader",
                  "textures/base/sea\n{\n{\nmap textures/base/water.tga\n}\n{\nmap textures/base/water\n}\n}\n");
}

const std::string kStripped = R"(name = "t/w"
sources = ["game"]
output = "w.fardel"
[[rule]]
match = "**/*.png"
strip = ".png"
tags = { format = "png" }
[[rule]]
match = "**/*.tga"
strip = ".tga"
tags = { format = "raw" }
[[rule]]
match = "**/*.ktx"
strip = ".ktx"
tags = { format = "astc" }
[link]
roots = ["scripts/*"]
)";

const std::string kRenamed = R"(name = "t/w"
sources = ["game"]
output = "w.fardel"
[[rule]]
match = "textures/base/water.png"
name = "textures/base/water.tga"
tags = { format = "png" }
[[rule]]
match = "textures/base/water.ktx"
name = "textures/base/water.tga"
tags = { format = "astc" }
[link]
roots = ["scripts/*"]
)";

TEST_CASE("variants: a reference with or without extension reaches the variants, with a game's profile and without") {
    for (const std::string& rules : {kStripped, kRenamed})
        for (const std::string profile : {"", "profile = \"quake3\"\n"}) {
            const ScratchFolder scratch;
            make_water(scratch);
            const std::string project = scratch.write("w.toml", rules + profile);
            CAPTURE(rules + profile);
            const json built = json::parse(run_well({"pack", project, "-o", scratch.path("w.fardel"), "--json"}));
            CHECK(built["link"]["resolved"] == 2);
            CHECK(built["link"]["missing"] == json::array());
            const std::string bundle = scratch.path("w.fardel");
            for (const std::string name : {"textures/base/water", "textures/base/water.tga"}) {
                const Arguments astc{"--variants", "format=astc", "--extensions", "tga,jpg"};
                Arguments which{"which", "--mount", bundle, name, "--json"};
                which.insert(which.end(), astc.begin(), astc.end());
                const json found = json::parse(run_well(which));
                CHECK(found["candidates"][found["winner"].get<std::size_t>()]["variant"] == "format=astc");
                Arguments cat{"cat", bundle, name};
                cat.insert(cat.end(), astc.begin(), astc.end());
                CHECK(run_well(cat) == "water as ktx");
            }
            // As a game follows the shader's references, by the link table.
            Vfs vfs;
            REQUIRE(vfs.mount(bundle, {.allow_unsigned = true}));
            vfs.prefer(parse_variant_preference("format=png").value());
            const File shader = vfs.open("scripts/s.shader").value();
            for (const char* spelling : {"textures/base/water", "textures/base/water.tga"}) {
                const auto file = vfs.open({spelling, nullptr, &shader});
                REQUIRE(file);
                CHECK(text_of(file->read_all().value()) == "water as png");
            }
        }
}

TEST_CASE("which and cat: a name with an extension that nothing has means the name without one") {
    const ScratchFolder scratch;
    make_water(scratch);
    const std::string project = scratch.write("w.toml", kStripped);
    const std::string bundle = scratch.path("w.fardel");
    run_well({"pack", project, "-o", bundle});
    const std::string raw = "water as " + std::string("tga");
    CHECK(run_well({"cat", bundle, "textures/base/water.tga", "--variants", "format=raw"}) == raw);
    const std::string explained = run_well({"which", "--mount", bundle, "textures/base/water.dds"});
    CHECK(explained.starts_with("/textures/base/water → /assets/"));
    CHECK(explained.find("/textures/base/water.dds: no such name") != std::string::npos);
    CHECK(run({"which", "--mount", bundle, "textures/base/lava.tga"}).exit_code == 1);
}

// ---- The option -----------------------------------------------------------------------------------------------------

std::string make_walls(const ScratchFolder& scratch) {
    scratch.write("game/hello@en.txt", "hello");
    scratch.write("game/hello@fr.txt", "bonjour");
    scratch.write("game/hello@de.txt", "hallo");
    scratch.write("game/tree@low.md3", "a tree of few triangles");
    scratch.write("game/tree@mid.md3", "a tree of some triangles");
    scratch.write("game/tree@high.md3", "a tree of a great many triangles");
    scratch.write("game/plain.cfg", "plain");
    std::string text = "name = \"t/base\"\nsources = [\"game\"]\n";
    for (const std::string lang : {"en", "fr", "de"})
        text +=
            "[[rule]]\nmatch = \"*@" + lang + ".txt\"\nstrip = \"@" + lang + "\"\ntags = { lang = \"" + lang + "\" }\n";
    for (const auto& [lod, triangles] :
         std::vector<std::pair<std::string, std::string>>{{"high", "80000"}, {"mid", "20000"}, {"low", "500"}})
        text += "[[rule]]\nmatch = \"*@" + lod + ".md3\"\nstrip = \"@" + lod + "\"\ntags = { lod = \"" + lod +
                "\" }\nmetadata = { metric.triangles = " + triangles + " }\n";
    const std::string project = scratch.write("base.toml", text);
    run_well({"pack", project, "-o", scratch.path("base.fardel")});
    return scratch.path("base.fardel");
}

TEST_CASE("--variants: one spelling in quotes, in words, repeated and with semicolons") {
    const ScratchFolder scratch;
    const std::string bundle = make_walls(scratch);
    for (const Arguments& option : std::vector<Arguments>{{"--variants", "lang=fr,en lod=low"},
                                                          {"--variants", "lang=fr,en", "lod=low"},
                                                          {"--variants=lang=fr,en", "lod=low"},
                                                          {"--variants", "lang=fr,en", "--variants", "lod=low"},
                                                          {"--variants", "lang=fr,en; lod=low"}}) {
        Arguments words{"ls", "-l"};
        words.insert(words.end(), option.begin(), option.end());
        words.push_back(bundle);
        const std::string listed = run_well(words);
        CAPTURE(listed);
        CHECK(listed.find("7  text/plain") != std::string::npos);  // "bonjour"
        CHECK(run_well([&] {
                  Arguments cat{"cat"};
                  cat.insert(cat.end(), option.begin(), option.end());
                  cat.insert(cat.end(), {bundle, "tree.md3"});
                  return cat;
              }()) == "a tree of few triangles");
    }
    CHECK(run({"cat", bundle, "hello.txt", "--variants", "lang"}).exit_code == 2);
    CHECK(run({"cat", bundle, "hello.txt", "--variants", "lang=fr", "lang=de"}).exit_code == 2);
}

TEST_CASE("--variants: a bound of a metric takes the greatest within it") {
    const ScratchFolder scratch;
    const std::string bundle = make_walls(scratch);
    const auto tree = [&](const std::string& preference) {
        return run_well({"cat", bundle, "tree.md3", "--variants", preference});
    };
    CHECK(tree("triangles<=20000") == "a tree of some triangles");
    CHECK(tree("triangles<=19999") == "a tree of few triangles");
    CHECK(tree("triangles<=1e6") == "a tree of a great many triangles");
    CHECK(tree("triangles<=1") == "a tree of few triangles");
    CHECK(tree("lod=high triangles<=20000") == "a tree of a great many triangles");
}

TEST_CASE("--variants: what nothing has is said, and the rest counts") {
    const ScratchFolder scratch;
    const std::string bundle = make_walls(scratch);
    const auto said = [&](const std::string& preference) {
        const Outcome outcome = run({"cat", bundle, "hello.txt", "--variants", preference});
        CHECK(outcome.exit_code == 0);
        return outcome.err;
    };
    CHECK(said("lang=fr").empty());
    CHECK(said("lang=xx,fr").empty());  // what another bundle may have
    CHECK(said("lng=fr") == "fardel: --variants: no variant has the axis 'lng'; did you mean 'lang'?\n");
    CHECK(said("quality=hd").find("no variant has the axis 'quality'; there are: lang, lod") != std::string::npos);
    CHECK(said("lang=xx").find("no variant has lang=xx") != std::string::npos);
    CHECK(said("triangle<=5").find("did you mean 'triangles'?") != std::string::npos);
    for (const Arguments& verb : std::vector<Arguments>{{"which", "--mount", bundle, "hello.txt"},
                                                        {"ls", bundle},
                                                        {"extract", bundle, "-C", scratch.path("out")}}) {
        Arguments words = verb;
        words.insert(words.end(), {"--variants", "lng=fr"});
        const Outcome outcome = run(words);
        CHECK(outcome.exit_code == 0);
        CHECK(outcome.err.find("did you mean 'lang'?") != std::string::npos);
    }
}

// ---- A mount that is switched ---------------------------------------------------------------------------------------

std::string variants_of(const MountedFolder& mount) {
    std::string text(1000, '\0');
    const auto size = ::getxattr(mount.path("").c_str(), "user.fardel.variants", text.data(), text.size());
    return size < 0 ? "none" : text.substr(0, static_cast<std::size_t>(size));
}

TEST_CASE("mount: other variants are seen at once by whoever looks, and not by whoever has a file open") {
    const ScratchFolder scratch;
    const MountedFolder mount(scratch, {make_walls(scratch), "--variants", "lang=en", "--"});
    const auto prefer = [&](Arguments words) {
        words.insert(words.begin(), {"mount", "--switch", mount.path("")});
        run_well(words);
    };
    const std::string path = mount.path("hello.txt");
    const auto size = [&] {
        struct stat status {};
        return ::stat(path.c_str(), &status) == 0 ? status.st_size : -1;
    };
    CHECK(contents_of(path) == "hello");
    CHECK(size() == 5);
    CHECK(variants_of(mount) == "lang=en");
    const int open = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    REQUIRE(open >= 0);

    prefer({"--variants", "lang=fr", "triangles<=20000"});
    CHECK(variants_of(mount) == "lang=fr triangles<=20000");
    CHECK(size() == 7);
    CHECK(contents_of(path) == "bonjour");
    CHECK(contents_of(mount.path("tree.md3")) == "a tree of some triangles");
    CHECK(contents_of(mount.path("plain.cfg")) == "plain");
    std::string text(100, '\0');
    CHECK(::pread(open, text.data(), text.size(), 0) == 5);
    CHECK(text.substr(0, 5) == "hello");
    ::close(open);

    for (int round = 0; round < 5; ++round)
        for (const auto& [lang, word] : std::map<std::string, std::string>{{"de", "hallo"}, {"fr", "bonjour"}}) {
            prefer({"--variants", "lang=" + lang});
            CHECK(size() == static_cast<long>(word.size()));
            CHECK(contents_of(path) == word);
        }
    const Outcome misspelled = run({"mount", "--switch", mount.path(""), "--variants", "lng=fr"});
    CHECK(misspelled.exit_code == 0);
    CHECK(misspelled.err.find("did you mean 'lang'?") != std::string::npos);
    prefer({});
    CHECK(variants_of(mount).empty());
    CHECK(contents_of(path) == "hello");
    CHECK(is_one_clear_line(run({"mount", "--switch", scratch.path("game"), "--variants", "lang=fr"}), "missing"));
}

TEST_CASE("mount: who may read a mount of another user may not switch it") {
    if (::geteuid() != 0)
        return;  // only root runs programs as another user
    const ScratchFolder scratch;
    REQUIRE(::chmod(scratch.root().c_str(), 0755) == 0);
    const MountedFolder mount(scratch, {make_walls(scratch), "--variants", "lang=en", "--allow-other", "--"});
    const Outcome other = run({"mount", "--switch", mount.path(""), "--variants", "lang=fr"}, {.user = 65534});
    CHECK(is_one_clear_line(other, "denied"));
    CHECK(contents_of(mount.path("hello.txt")) == "hello");
    CHECK(variants_of(mount) == "lang=en");
}

TEST_CASE("trace record: the program sees the preferred variants, and its trace has them") {
    const ScratchFolder scratch;
    const std::string bundle = make_walls(scratch);
    fs::create_directories(scratch.path("mnt"));
    const Outcome outcome =
        run({"trace", "record", "-o", scratch.path("a.trace"), bundle, scratch.path("mnt"), "--variants", "lang=fr",
             "triangles<=20000", "--", "cat", scratch.path("mnt/hello.txt"), scratch.path("mnt/tree.md3")});
    CHECK(outcome.exit_code == 0);
    CHECK(outcome.out == "bonjoura tree of some triangles");
    CHECK(read_file(scratch.path("a.trace")).find(b3sum(scratch.path("game/hello@fr.txt"))) != std::string::npos);
}

// ---- One game's content through every face --------------------------------------------------------------------------

using Contents = std::map<std::string, std::string>;

const std::vector<std::string> kNames{"hello.txt", "plain.cfg", "tree.md3"};

// A base game and a mod above it that replaces a name with variants, both signed.
struct ModdedGame {
    const ScratchFolder scratch;
    std::string trust;
    std::string base = scratch.path("base.fardel");
    std::string mod = scratch.path("mod.fardel");

    ModdedGame() {
        make_walls(scratch);
        const std::string key = make_key(scratch, "author");
        trust = make_policy(scratch, "player.trust", {"--author", key + ".pub"});
        run_well({"pack", scratch.path("base.toml"), "-o", base, "--key", key});
        scratch.write("modded/hello@fr.txt", "salut");
        scratch.write("modded/hello@en.txt", "hey there");
        const std::string project = scratch.write("mod.toml", R"(name = "t/mod"
sources = ["modded"]
[[rule]]
match = "*@en.txt"
strip = "@en"
tags = { lang = "en" }
[[rule]]
match = "*@fr.txt"
strip = "@fr"
tags = { lang = "fr" }
)");
        run_well({"pack", project, "-o", mod, "--key", key});
        scratch.write("game.fardel-set", "fardel-set 1\nbase.fardel\nmod.fardel\n");
        run_well({"pure", "policy", base, mod, "-o", scratch.path("server.pure"), "--variant", "lang=de,fr"});
    }

    // The bundle that gives the name.
    const std::string& file_of(const std::string& name) const { return name == "hello.txt" ? mod : base; }
    PurePolicy server() const { return PurePolicy::parse(read_file(scratch.path("server.pure"))).value(); }

    std::shared_ptr<Vfs> mounted(const std::string& preference) const {
        auto vfs = std::make_shared<Vfs>();
        const TrustPolicy policy = value_of(read_trust_policy(trust));
        for (const std::string& file : {base, mod})
            REQUIRE(vfs->mount(file, {.policy = &policy}));
        vfs->prefer(parse_variant_preference(preference).value());
        return vfs;
    }
};

Contents contents_by(const std::function<std::string(const std::string& name)>& content) {
    Contents contents;
    for (const std::string& name : kNames)
        contents[name] = content(name);
    return contents;
}

Contents by_cpp(const Vfs& vfs) {
    return contents_by([&](const std::string& name) { return text_of(vfs.open(name).value().read_all().value()); });
}

Contents by_c(const ModdedGame& game, const std::string& preference, bool pure) {
    fardel_vfs* vfs = nullptr;
    REQUIRE(fardel_vfs_create(nullptr, &vfs, nullptr) == FARDEL_OK);
    fardel_mount_options options = FARDEL_MOUNT_OPTIONS_INIT;
    options.policy_path = game.trust.c_str();
    for (const std::string& file : {game.base, game.mod})
        REQUIRE(fardel_mount_file(vfs, file.c_str(), &options, nullptr, nullptr) == FARDEL_OK);
    REQUIRE(fardel_prefer(vfs, preference.c_str(), nullptr) == FARDEL_OK);
    if (pure)
        REQUIRE(fardel_enter_pure(vfs, game.server().format().c_str(), nullptr, nullptr) == FARDEL_OK);
    Contents contents = contents_by([&](const std::string& name) {
        fardel_file* file = nullptr;
        REQUIRE(fardel_open(vfs, name.c_str(), &file, nullptr) == FARDEL_OK);
        std::string text(fardel_file_size(file), '\0');
        CHECK(fardel_read_all(file, text.data(), text.size(), nullptr) == FARDEL_OK);
        fardel_close(file);
        return text;
    });
    fardel_vfs_destroy(vfs);
    return contents;
}

Contents by_physfs(const ModdedGame& game, const std::string& preference, bool pure) {
    PhysfsArchiverOptions options{.policy = value_of(read_trust_policy(game.trust))};
    options.preference = parse_variant_preference(preference).value();
    const PhysfsGame running(std::move(options));
    if (!pure) {
        CHECK(physfs_mount(game.scratch.path("game.fardel-set")) == "ok");
        return contents_by(physfs_content);
    }
    const auto vfs = game.mounted(preference);
    REQUIRE(mount_into_physfs(vfs, {.name = "the game"}));
    const auto lock = value_of(PhysfsPureLock::enter(vfs, game.server()));
    return contents_by(physfs_content);
}

Contents by_mount(const ModdedGame& game, const std::string& preference, bool pure) {
    Arguments words{game.base, game.mod, "--trust", game.trust, "--variants", preference};
    if (pure)
        words.insert(words.end(), {"--pure", game.scratch.path("server.pure")});
    words.push_back("--");
    MountedFolder mount(game.scratch, words);
    Contents contents = contents_by([&](const std::string& name) { return contents_of(mount.path(name)); });
    mount.unmount();
    return contents;
}

Contents by_cat(const ModdedGame& game, const std::string& preference) {
    return contents_by([&](const std::string& name) {
        return run_well({"cat", game.file_of(name), name, "--variants", preference});
    });
}

Contents by_extract(const ModdedGame& game, const std::string& preference) {
    return contents_by([&](const std::string& name) {
        const ScratchFolder out;
        run_well({"extract", game.file_of(name), "-C", out.path("x"), name, "--variants", preference});
        return read_file(out.path("x/" + name));
    });
}

TEST_CASE("variants: every face gives the same bytes for the same preference, with a mod above") {
    const ModdedGame game;
    const std::map<std::string, Contents> expected{
        {"lang=de,fr triangles<=20000",
         {{"hello.txt", "salut"}, {"plain.cfg", "plain"}, {"tree.md3", "a tree of some triangles"}}},
        {"lang=en lod=low",
         {{"hello.txt", "hey there"}, {"plain.cfg", "plain"}, {"tree.md3", "a tree of few triangles"}}},
        {"lod=mid,high; lang=xx",
         {{"hello.txt", "hey there"}, {"plain.cfg", "plain"}, {"tree.md3", "a tree of some triangles"}}},
    };
    for (const auto& one : expected) {
        const std::string& preference = one.first;
        const Contents& contents = one.second;
        CAPTURE(preference);
        CHECK(by_cpp(*game.mounted(preference)) == contents);
        CHECK(by_c(game, preference, false) == contents);
        CHECK(by_physfs(game, preference, false) == contents);
        CHECK(by_mount(game, preference, false) == contents);
        CHECK(by_cat(game, preference) == contents);
        CHECK(by_extract(game, preference) == contents);
    }
}

TEST_CASE("variants: in pure mode every face gives what the server allows of what is preferred") {
    const ModdedGame game;
    for (const std::string preference : {"lang=en triangles<=20000", "lang=de lod=low", ""}) {
        CAPTURE(preference);
        const auto vfs = game.mounted(preference);
        vfs->enter_pure(game.server());
        const Contents contents = by_cpp(*vfs);
        CHECK(contents.at("hello.txt") == "salut");  // of the mod, the server allows no other
        CHECK(by_c(game, preference, true) == contents);
        CHECK(by_physfs(game, preference, true) == contents);
        CHECK(by_mount(game, preference, true) == contents);
    }
}

}  // namespace fardel::tests::variants_test
