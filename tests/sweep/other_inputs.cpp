// Hostile archives, projects, policies, messages and cached records, and what the program makes of them.
#include "faces.h"
#include "files.h"

#include "kit/archives.h"

#include <fardel/format/hash.h>
#include <fardel/format/trust_policy.h>
#include <fardel/sources/legacy_archives.h>
#include <fardel/vfs/fardel.h>
#include <fardel/vfs/fardel_archives.h>
#include <fardel/vfs/physfs_archiver.h>
#include <fardel/vfs/pure_policy.h>
#include <fardel/vfs/vfs.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <span>

namespace fardel::sweep {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

// A bundle that was written is good; if the program failed, there is none.
void judge_packed(const InputCase& input, const Ran& ran, const fs::path& out, Findings& findings) {
    const bool exists = fs::exists(out);
    if (exists != (ran.status == 0))
        findings.add(ran.what, exists ? "failed, and left a bundle" : "wrote no bundle");
    if (exists) {
        const Ran verified = run_fardel(input, {"verify", out.string()}, findings);
        if (verified.status != 0)
            findings.add(ran.what, "wrote a bundle with errors: " + verified.out + verified.err);
    }
}

// ---- Archives -------------------------------------------------------------------------------------------------------

// A 7z of default.cfg and maps/dm01.bsp.
constexpr std::string_view kSevenZip =
    "377abcaf271c00038129cfb08c000000000000002000000000000000870a38c20030880986947644f5ea6739eb66431f"
    "96d936a84cd03d13e13113ffff2e6c00000000813307ae0fd01dd27c9f3f47416737d676e65eeeea04e9ed4a82746ab0"
    "7298bd1427f7d7c65d0200b15976f47b0653061c30450bc72c1251d2db8ffddaefe19c37e49cfb1413a85b285c2f3c67"
    "5e99372537e02c3ecba86429852954f6b3a405cd0cb6a3fffe9a540017062101096b00070b01000123030101055d0000"
    "80000c720a01013884160000";

std::uint64_t number_in(const Bytes& bytes, std::size_t at) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < 8; ++i)
        value |= std::to_integer<std::uint64_t>(bytes[at + i]) << 8 * i;
    return value;
}

void put_in(Bytes& bytes, std::size_t at, std::uint64_t value, std::size_t width) {
    for (std::size_t i = 0; i < width; ++i)
        bytes[at + i] = static_cast<std::byte>(value >> 8 * i & 0xff);
}

// The header of a 7z is changed, and both checksums are right again.
Bytes hostile_seven_zip(Random& random) {
    Bytes bytes = tests::bytes_of_hex(kSevenZip);
    constexpr std::size_t kStart = 32;
    const auto offset = static_cast<std::size_t>(number_in(bytes, 12));
    Bytes head(bytes.begin() + static_cast<std::ptrdiff_t>(kStart + offset), bytes.end());
    const Bytes packed(bytes.begin() + kStart, bytes.begin() + static_cast<std::ptrdiff_t>(kStart + offset));
    static const auto kValues = std::to_array<unsigned>(
        {0, 1, 2, 4, 5, 6, 7, 9, 10, 11, 12, 14, 17, 25, 0x7f, 0x80, 0xc0, 0xe0, 0xf0, 0xf8, 0xfc, 0xfe, 0xff});
    for (std::size_t i = random.below(4); i > 0 && !head.empty(); --i) {
        const std::size_t at = random.below(head.size());
        if (random.once_in(4)) {
            Bytes number(9, std::byte{0xff});
            put_in(number, 1, hostile_number(random, 1, 1), 8);
            head.insert(head.begin() + static_cast<std::ptrdiff_t>(at), number.begin(), number.end());
        } else if (random.once_in(3)) {
            damage(head, random);
        } else {
            head[at] = static_cast<std::byte>(random.pick(kValues));
        }
    }
    bytes.resize(kStart);
    bytes.insert(bytes.end(), packed.begin(), packed.end());
    bytes.insert(bytes.end(), head.begin(), head.end());
    put_in(bytes, 12, packed.size(), 8);
    put_in(bytes, 20, head.size(), 8);
    put_in(bytes, 28, tests::zip_crc32(tests::text_of(head)), 4);
    put_in(bytes, 8, tests::zip_crc32(tests::text_of(std::span(bytes).subspan(12, 20))), 4);
    return bytes;
}

Bytes hostile_zip(Random& random) {
    std::vector<tests::ZipMember> members;
    for (std::size_t i = 1 + random.below(6); i > 0; --i) {
        tests::ZipMember member;
        member.name = random.once_in(2) ? hostile_text(random).substr(0, 60'000) : "folder/file" + std::to_string(i);
        member.content = tests::prose(random.below(5000), static_cast<std::uint32_t>(random.next()));
        member.deflated = random.once_in(2);
        const auto number = [&](std::uint64_t before) {
            return static_cast<std::uint32_t>(hostile_number(random, before, 100));
        };
        switch (random.below(9)) {
            case 0: member.flags = static_cast<std::uint16_t>(number(0)); break;
            case 1: member.attributes = number(0100644u << 16); break;
            case 2: member.attributes = 0120777u << 16; break;  // a link
            case 3: member.method = static_cast<std::uint16_t>(random.below(100)); break;
            case 4: member.crc32 = number(1); break;
            case 5: member.stored_bytes = number(static_cast<std::uint32_t>(member.content.size())); break;
            case 6: member.raw_bytes = number(static_cast<std::uint32_t>(member.content.size())); break;
            case 7: member.header_offset = number(30); break;
            default: break;
        }
        members.push_back(member);
    }
    tests::ZipShape shape;
    shape.zip64 = random.once_in(4);
    if (random.once_in(6))
        shape.count = static_cast<std::uint16_t>(hostile_number(random, members.size(), members.size()));
    if (random.once_in(6))
        shape.directory_bytes = static_cast<std::uint32_t>(hostile_number(random, 100, 100));
    if (random.once_in(6))
        shape.directory_offset = static_cast<std::uint32_t>(hostile_number(random, 100, 100));
    if (random.once_in(4))
        shape.comment = hostile_text(random);
    Bytes zip = tests::build_zip(members, shape);
    if (random.once_in(3))
        damage(zip, random);
    return zip;
}

// Reads the archive as a mount of development, in this process; with the C API, too. Bytes are those that were packed.
int read_archive(const fs::path& archive, const fs::path& packed) {
    bool failed = false;
    Vfs vfs;
    MountOptions options{.allow_unsigned = true};
    options.archives = make_archive_reader_with(FARDEL_ARCHIVE_PROGRAM);
    Witness witness(read_bytes(packed));
    witness.set_good(true);
    if (vfs.mount(archive.string(), options))
        for (const auto& [text, name] : witness.names())
            if (const auto file = vfs.open("/" + text)) {
                const auto bytes = file->read_all(kBytesMax);
                if (bytes && !witness.vouches(text, *bytes)) {
                    failed = true;
                    std::printf("the mounted archive gives other bytes than the packed one\n");
                }
            }
    fardel_error error = FARDEL_ERROR_INIT;
    fardel_vfs* c_vfs = nullptr;
    fardel_mount_options c_options = FARDEL_MOUNT_OPTIONS_INIT;
    c_options.flags = FARDEL_MOUNT_ALLOW_UNSIGNED;
    if (fardel_vfs_create(nullptr, &c_vfs, &error) == FARDEL_OK) {
        (void)fardel_enable_archives(c_vfs, &error);
        (void)fardel_mount_file(c_vfs, archive.c_str(), &c_options, nullptr, &error);
        fardel_vfs_destroy(c_vfs);
    }
    return failed ? 1 : 0;
}

// ---- Projects -------------------------------------------------------------------------------------------------------

constexpr std::string_view kProject = R"(name = "studio/mygame"
version = "1.2"
output = "mygame.fardel"
sources = ["assets", "pak0.pk3"]
exclude = ["**/*.psd", "wip/**"]
tombstones = ["scripts/old.cfg"]

[metadata]
licence = "CC-BY-4.0"
origin = "https://example.org/mygame"
metric.levels = 12
expires = 4102444800

[[rule]]
match = "**/*@hd.png"
strip = "@hd"
tags = { quality = "hd" }

[[rule]]
match = "internal/**"
publish = false
metadata = { licence = "proprietary" }

[[rule]]
match = "wip/**"
exclude = true

[[rule]]
match = "readme_2.txt"
name = "readme.txt"
content_type = "text/markdown"

[processor.copy]
command = ["cp", "${in}", "${out}"]
version = "1"
parameters = { quality = 2 }
outputs = ["{folder}{stem}.copy"]
keep_source = true

[[rule]]
match = "maps/*.map"
process = ["copy"]

[[consume]]
name = "fonts/**"
optional = true

[[dependency]]
id = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"
name = "studio/base"
version = "1.0"
)";

void make_sources(const fs::path& folder, Random& random) {
    const auto text = [&](std::size_t size) { return tests::prose(size, static_cast<std::uint32_t>(random.next())); };
    write_text(folder / "assets/maps/one.map", text(3000));
    write_text(folder / "assets/textures/wall.png", text(2000));
    write_text(folder / "assets/textures/wall@hd.png", text(2500));
    write_text(folder / "assets/internal/notes.txt", text(100));
    write_text(folder / "assets/wip/no.txt", text(100));
    write_text(folder / "assets/readme_2.txt", text(100));
    std::string shader = "textures/wall\n{\n  {\n    map textures/wall.tga\n    blendFunc add\n  }\n}\n";
    if (random.once_in(2))
        damage_text(shader, random);
    write_text(folder / "assets/scripts/base.shader", shader);
    Bytes model = tests::bytes_of("IDP3");
    const Bytes rest = tests::noise(400, random.next());
    model.insert(model.end(), rest.begin(), rest.end());
    write_bytes(folder / "assets/models/hero.md3", model);
    write_text(folder / "assets/models/scene.gltf",
               R"({"asset":{"version":"2.0"},"images":[{"uri":"../textures/wall.png"}],"buffers":[{"uri":"a.bin"}]})");
    write_bytes(folder / "pak0.pk3", random.once_in(2)
                                         ? hostile_zip(random)
                                         : tests::build_zip({{.name = "sound/a.wav", .content = text(500)}}));
}

// ---- Policies and messages ------------------------------------------------------------------------------------------

int judge_policy_text(const std::string& text) {
    const auto policy = TrustPolicy::parse(text);
    if (policy) {
        const auto again = TrustPolicy::parse(policy->format());
        if (!again || again->rules() != policy->rules()) {
            std::printf("the canonical text of a trust policy is another policy\n");
            return 1;
        }
    }
    (void)PurePolicy::parse(text);
    (void)PureReport::parse(text);
    return 0;
}

}  // namespace

Ran run_fardel(const InputCase& input, Words words, Findings& findings, double wall_s) {
    words.insert(words.begin(), input.program);
    Surroundings surroundings = input.surroundings();
    surroundings.bounds.wall_s = wall_s;
    Ran ran = run_program(words, surroundings);
    findings.judge(ran, surroundings.bounds);
    return ran;
}

void damage_file(const fs::path& path, Random& random, bool is_text) {
    for (std::size_t i = 1 + random.below(3); i > 0; --i)
        if (is_text) {
            std::string text = read_text(path);
            damage_text(text, random);
            write_text(path, text);
        } else {
            Bytes bytes = read_bytes(path);
            damage(bytes, random);
            write_bytes(path, bytes);
        }
}

std::vector<fs::path> files_below(const fs::path& folder) {
    std::vector<fs::path> files;
    std::error_code error;
    for (const auto& entry : fs::recursive_directory_iterator(folder, error))
        if (entry.is_regular_file(error))
            files.push_back(entry.path());
    std::ranges::sort(files);
    return files;
}

void sweep_archive(const InputCase& input, Random& random, Findings& findings) {
    static const auto kNames = std::to_array<const char*>({"in.pk3", "in.zip", "in.7z", "in.grp", "in.wad", "in.hog"});
    const fs::path archive = input.folder / random.pick(kNames);
    Bytes bytes;
    const std::size_t kind = random.below(4);
    if (kind == 0) {
        bytes = hostile_seven_zip(random);
    } else if (kind == 1 && fs::exists(input.bases / "real.zip")) {
        bytes = read_bytes(input.bases / "real.zip");
        // Its directory is at its end.
        const std::size_t tail = std::min<std::size_t>(bytes.size(), 600);
        Bytes end(bytes.end() - static_cast<std::ptrdiff_t>(tail), bytes.end());
        for (std::size_t i = 1 + random.below(3); i > 0; --i)
            damage(end, random);
        bytes.resize(bytes.size() - tail);
        bytes.insert(bytes.end(), end.begin(), end.end());
    } else {
        bytes = hostile_zip(random);
    }
    write_bytes(archive, bytes);
    const fs::path out = input.folder / "out.fardel";
    const Ran packed = run_fardel(input, {"pack", archive.string(), "-o", out.string(), "--level", "1"}, findings);
    judge_packed(input, packed, out, findings);
    if (random.once_in(2))
        run_fardel(input, {"audit", archive.string(), "--root", "maps/*"}, findings);
    if (random.once_in(2))
        run_fardel(input, {"which", "--mount", archive.string(), "default.cfg"}, findings);
    Surroundings surroundings = input.surroundings();
    const Ran read = run_function(
        "a mount of the archive", [&] { return read_archive(archive, out); }, surroundings);
    findings.judge(read, surroundings.bounds);
    if (read.status == 1)
        findings.add(read.what, read.out);
    fs::remove(out);
}

void sweep_project(const InputCase& input, Random& random, Findings& findings) {
    const fs::path folder = input.folder / "deep/er/project";
    make_sources(folder, random);
    std::string project(kProject);
    for (std::size_t i = random.below(4); i > 0; --i) {
        damage_text(project, random);
        for (std::size_t at; (at = project.find(kForbiddenPath)) != std::string::npos;)
            project.replace(at, std::string_view(kForbiddenPath).size(), "forbidden");  // an output may be anywhere
    }
    write_text(folder / "fardel.toml", project);
    Surroundings surroundings = input.surroundings();
    surroundings.folder = folder;
    const auto run = [&](Words words) {
        words.insert(words.begin(), input.program);
        Ran ran = run_program(words, surroundings);
        findings.judge(ran, surroundings.bounds);
        return ran;
    };
    run({"graph"});
    if (random.once_in(2))
        run({"graph", random.once_in(2) ? "--references" : "--all", "--json"});
    if (random.once_in(2))
        run({"audit", "--json"});
    const fs::path out = input.folder / "out.fardel";
    judge_packed(input, run({"pack", "fardel.toml", "-o", out.string()}), out, findings);
    const Ran built = run({"build", "--level", "1"});
    if (built.status == 0) {
        const Ran again = run({"build", "--level", "1"});
        if (again.status != 0)
            findings.add(again.what, "the second build fails: " + again.err);
        run({"report", "."});
    }
    std::error_code ignored;
    fs::remove(out, ignored);
    fs::remove_all(input.folder / "deep", ignored);
}

void sweep_policy(const InputCase& input, Random& random, Findings& findings) {
    const auto path = [&](const char* name) { return (input.folder / name).string(); };
    std::error_code error;
    for (const char* name :
         {"trust", "server.pure", "offer", "answer", "report", "state", "key", "key.pub", "good.fardel"})
        fs::copy(input.bases / name, input.folder / name, fs::copy_options::recursive, error);
    const std::string good = path("good.fardel");
    const auto answer = [&] {
        return run_fardel(input,
                          {"pure", "answer", "--offer", path("offer"), "--policy", path("server.pure"), "--connection",
                           "c", "--mount", good, "-o", path("again"), "--report", path("again.report")},
                          findings);
    };
    const auto check = [&] {
        return run_fardel(input,
                          {"pure", "check", "--answer", path("answer"), "--report", path("report"), "--policy",
                           path("server.pure"), "--connection", "c", "--state", path("state"), "--mount", good},
                          findings);
    };
    switch (random.below(8)) {
        case 0:
        case 1: {
            damage_file(path("trust"), random, true);
            run_fardel(input, {"trust", "show", path("trust")}, findings);
            run_fardel(input, {"verify", good, "--trust", path("trust")}, findings);
            run_fardel(input, {"which", "--mount", good, "--trust", path("trust"), "empty.txt"}, findings);
            const std::string text = read_text(path("trust"));
            const Ran judged = run_function(
                "policies", [&] { return judge_policy_text(text); }, input.surroundings());
            findings.judge(judged, input.surroundings().bounds);
            if (judged.status == 1)
                findings.add("policy", judged.out);
            break;
        }
        case 2: {
            damage_file(path("server.pure"), random, true);
            answer();
            check();
            run_fardel(input,
                       {"pure", "offer", "--policy", path("server.pure"), "--connection", "d", "--state", path("state"),
                        "-o", path("offer2")},
                       findings);
            break;
        }
        case 3:
            damage_file(path("offer"), random, false);
            answer();
            break;
        case 4: {
            const std::string before = read_text(path("answer"));
            damage_file(path("answer"), random, false);
            if (const Ran checked = check(); checked.status == 0 && read_text(path("answer")) != before)
                findings.add(checked.what, "an answer that was changed is welcome");
            break;
        }
        case 5: {
            const std::string before = read_text(path("report"));
            damage_file(path("report"), random, true);
            if (const Ran checked = check(); checked.status == 0 && read_text(path("report")) != before)
                findings.add(checked.what, "a report that was changed is welcome");
            break;
        }
        case 6: {
            const char* which = random.once_in(2) ? "key" : "key.pub";
            damage_file(path(which), random, random.once_in(2));
            fs::permissions(path("key"), fs::perms::owner_read | fs::perms::owner_write, error);
            fs::copy(good, path("signed"), error);
            run_fardel(input, {"sign", path("signed"), "--key", path(which), "--role", "author"}, findings);
            run_fardel(input, {"trust", "init", path("new.trust"), "--author", path("key.pub")}, findings);
            break;
        }
        default: {
            std::string set = "fardel-set 1\n# a comment\ngood.fardel\nmods/other.fardel\n";
            for (std::size_t i = 1 + random.below(3); i > 0; --i)
                damage_text(set, random);
            write_text(path("game.fardel"), set);
            run_fardel(input, {"id", path("game.fardel")}, findings);
            run_fardel(input, {"links", path("game.fardel")}, findings);
            BundleCase bundle{.program = input.program, .folder = input.folder, .good = good, .key = {}};
            write_text(path("in.fardel"), set);
            const Ran read = run_function(
                "a set in PhysicsFS",
                [&] {
                    bool failed = false;
                    Witness witness(read_bytes(good));
                    witness.set_good(true);
                    read_through_physfs(bundle, witness, false, [&](const std::string& what) {
                        // Without a policy a line "." mounts the set's own folder: its files are not in the bundle.
                        if (!witness.names().contains(what.substr(what.rfind(": ") + 2)))
                            return;
                        failed = true;
                        std::printf("%s\n", what.c_str());
                    });
                    return failed ? 1 : 0;
                },
                input.surroundings());
            findings.judge(read, input.surroundings().bounds);
            if (read.status == 1)
                findings.add(read.what, read.out);
        }
    }
    for (const auto& entry : fs::directory_iterator(input.folder, error))
        if (entry.path().filename() != "tmp")
            fs::remove_all(entry.path(), error);
}

void sweep_records(const InputCase& input, Random& random, Findings& findings) {
    const fs::path cache = input.folder / "cache";
    std::error_code error;
    fs::copy(input.bases / "cache", cache, fs::copy_options::recursive, error);
    const std::vector<fs::path> files = files_below(cache);
    for (std::size_t i = 1 + random.below(3); i > 0 && !files.empty(); --i) {
        const fs::path& file = random.pick(files);
        Bytes bytes = read_bytes(file);
        const bool record = file.string().find("/records/") != std::string::npos;
        if (record && bytes.size() > 32) {  // its last 32 bytes are the hash of the others
            bytes.resize(bytes.size() - 32);
            damage(bytes, random);
            const Hash hash = blake3(bytes);
            const auto end = std::as_bytes(std::span(hash.bytes));
            bytes.insert(bytes.end(), end.begin(), end.end());
        } else {
            damage(bytes, random);
        }
        write_bytes(file, bytes);
    }
    const fs::path folder = input.folder / "deep/er/project";
    fs::create_directories(folder.parent_path());
    fs::copy(input.bases / "project", folder, fs::copy_options::recursive, error);
    Surroundings surroundings = input.surroundings();
    surroundings.folder = folder;
    const auto run = [&](Words words) {
        words.insert(words.begin(), input.program);
        Ran ran = run_program(words, surroundings);
        findings.judge(ran, surroundings.bounds);
        return ran;
    };
    run({"cache", "stats", cache.string(), "--check"});
    run({"cache", "verify", cache.string()});
    // Whatever the cache says, the build goes on, and what it writes is a good bundle.
    const Ran built = run({"build", "--level", "1"});
    if (built.status == 3)
        findings.add(built.what, "a cache stops the build: " + built.err);
    if (built.status == 0)
        judge_packed(input, built, folder / "mygame.fardel", findings);
    run({"cache", "export", cache.string(), "-o", (input.folder / "cache.fardel").string()});
    run({"cache", "trim", cache.string(), "--size", "1k"});
    for (const char* name : {"cache", "deep", "cache.fardel"})
        fs::remove_all(input.folder / name, error);
}

}  // namespace fardel::sweep
