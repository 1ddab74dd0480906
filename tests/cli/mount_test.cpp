// The program mounts through the kernel's FUSE, and other programs read the files.

#include "kit/archives.h"
#include "kit/bytes.h"
#include "mounted_folder.h"
#include "sample.h"

#include <fardel/format/bundle_writer.h>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <functional>
#include <map>

namespace fardel::tests::mount_test {

using nlohmann::json;

const std::string kArchive = "/usr/share/games/openarena/baseoa/pak5-TA.pk3";

bool is_mounted(std::string folder) {
    for (std::size_t space; (space = folder.find(' ')) != std::string::npos;)
        folder.replace(space, 1, "\\040");  // proc(5)
    std::ifstream mounts("/proc/self/mounts");
    for (std::string line; std::getline(mounts, line);)
        if (line.find(" " + folder + " fuse.fardel ro") != std::string::npos)
            return true;
    return false;
}

// An empty folder. It is unmounted at the end, even if this process is killed: a second process waits for the end of a
// pipe, and then unmounts.
class MountPoint {
public:
    explicit MountPoint(const ScratchFolder& scratch, const std::string& name = "mnt") : path_(scratch.path(name)) {
        REQUIRE_MESSAGE(fs::exists("/dev/fuse"),
                        "these tests mount: they need /dev/fuse, which this system does not have");
        REQUIRE_MESSAGE(run_program({"fusermount3", "--version"}).exit_code == 0,
                        "setup/install-dependencies installs fuse3");
        fs::create_directories(path_);
        int pipe[2];
        REQUIRE(::pipe2(pipe, O_CLOEXEC) == 0);
        guard_ = ::fork();
        REQUIRE(guard_ >= 0);
        if (guard_ == 0)
            wait_and_unmount(pipe[0], pipe[1], path_.c_str());
        ::close(pipe[0]);
        alive_ = pipe[1];
    }
    ~MountPoint() {
        ::close(alive_);
        ::waitpid(guard_, nullptr, 0);
    }
    MountPoint(const MountPoint&) = delete;
    MountPoint& operator=(const MountPoint&) = delete;

    const std::string& path() const { return path_; }
    std::string path(const std::string& name) const { return path_ + "/" + name; }
    std::string bundle(const std::string& file) const { return path_ + "/bundles/" + id_of(file); }
    static std::string id_of(const std::string& file) { return run_well({"id", file}).substr(0, 64); }

private:
    // Only system calls are allowed between fork and exec.
    [[noreturn]] static void wait_and_unmount(int end, int other_end, const char* path) {
        ::setsid();
        ::close(other_end);
        char nothing = 0;
        while (::read(end, &nothing, 1) < 0 && errno == EINTR) {
        }
        const int silence = ::open("/dev/null", O_WRONLY);
        ::dup2(silence, STDERR_FILENO);
        ::execlp("fusermount3", "fusermount3", "-q", "-u", "-z", path, nullptr);
        ::_exit(1);
    }

    std::string path_;
    pid_t guard_ = -1;
    int alive_ = -1;
};

// errno after a call, or 0 if it succeeded.
int errno_of(int result) { return result < 0 ? errno : 0; }

int errno_of_open(const std::string& path, int flags) {
    const int descriptor = ::open(path.c_str(), flags | O_CLOEXEC, 0666);
    const int failure = errno_of(descriptor);
    if (descriptor >= 0)
        ::close(descriptor);
    return failure;
}

std::string shell_output(const std::string& line, const std::string& folder) {
    const Outcome outcome = run_shell(line, {.folder = folder});
    INFO(line, "\n", outcome.err);
    CHECK(outcome.exit_code == 0);
    return outcome.out;
}

// A bundle with `count` names of one asset in one folder.
std::string make_large_folder(const ScratchFolder& scratch, std::size_t count) {
    BundlePlan plan;
    const auto bytes = std::as_bytes(std::span(kConfig));
    plan.assets.push_back(
        {.source = make_memory_blob({bytes.begin(), bytes.end()}), .key = "asset", .content_type = "text/plain"});
    for (std::size_t i = 0; i < count; ++i)
        plan.names.push_back(
            {.name = *AssetName::parse("many/" + std::to_string(1'000'000 + i)), .variants = {{.asset = 0}}});
    const std::string path = scratch.path("many.fardel");
    auto staged = write_bundle(plan, path, {});
    REQUIRE(staged);
    REQUIRE(staged->commit());
    return path;
}

// A signed bundle of one archive of a real game, and the files that unzip writes.
struct RealGame {
    RealGame() {
        REQUIRE_MESSAGE(fs::exists(kArchive), "setup/install-dependencies installs OpenArena");
        const std::string key = make_key(scratch, "author");
        run_well({"pack", kArchive, "-o", bundle, "--name", "game", "--version", "1.0", "--level", "3"});
        sign(bundle, key, "author");
        policy = make_policy(scratch, "p.trust", {"--author", key + ".pub"});
        REQUIRE(run_program({"unzip", "-q", kArchive, "-d", scratch.path("unzipped")}).exit_code == 0);
        shell_output("find . -type d -empty -delete", scratch.path("unzipped"));  // bundles have no empty folders
    }

    ScratchFolder scratch;
    std::string bundle = scratch.path("game.fardel");
    std::string policy;
};

TEST_CASE_FIXTURE(RealGame,
                  "mount: a signed bundle of a real game is shown and copied as the files that unzip writes") {
    const MountPoint mount(scratch);
    const Outcome mounted = run({"mount", bundle, mount.path(), "--trust", policy});
    CHECK(mounted.exit_code == 0);
    CHECK(mounted.out + mounted.err == "");
    const std::string unzipped = scratch.path("unzipped");
    CHECK(run_program({"diff", "-r", unzipped, mount.path()}).out == "");
    for (const char* list : {"find . | sort", "find . -type f | sort"})
        CHECK(shell_output(list, mount.path()) == shell_output(list, unzipped));

    // Ordinary copies have the game's files and nothing else.
    REQUIRE(run_program({"cp", "-r", mount.path(), scratch.path("copied")}).exit_code == 0);
    fs::create_directories(scratch.path("untarred"));
    shell_output("tar -cf - . | tar -xf - -C ../untarred", mount.path());
    for (const char* copy : {"copied", "untarred"})
        CHECK(run_program({"diff", "-r", "--no-dereference", unzipped, scratch.path(copy)}).out == "");
}

TEST_CASE_FIXTURE(RealGame, "mount: with --links, published names are links into assets, and bundles are shown") {
    const MountPoint mount(scratch);
    run_well({"mount", bundle, mount.path(), "--trust", policy, "--links"});

    // Files of the bundle, byte by byte; and the published names, through their links.
    CHECK(run_program({"diff", "-r", scratch.path("unzipped"), mount.bundle(bundle)}).out == "");
    const std::string files = shell_output("find . -type f | sort", scratch.path("unzipped"));
    CHECK(std::ranges::count(files, '\n') > 100);
    CHECK(shell_output("find . -path ./assets -prune -o -path ./bundles -prune -o -type l -print | sort",
                       mount.path()) == files);
    CHECK(shell_output("find . -path ./assets -prune -o -path ./bundles -prune -o -type l -exec cat {} + | wc -c",
                       mount.path()) ==
          shell_output("find . -type f -exec cat {} + | wc -c", scratch.path("unzipped")));

    // The targets of the links.
    const json listed = json::parse(run_well({"ls", "--json", bundle}));
    for (const json& name : listed["names"]) {
        const std::string text = name["name"];
        const std::string id = name["asset"];
        const std::string link = mount.path(text);
        std::string up;
        for (auto depth = std::ranges::count(text, '/'); depth > 0; --depth)
            up += "../";
        CAPTURE(text);
        CHECK(fs::read_symlink(link) == up + "assets/" + id);
        CHECK(fs::file_size(link) == name["size"]);
        CHECK(b3sum(link) == id);
    }

    // Copies keep the links, or copy their targets.
    REQUIRE(run_program({"cp", "-r", mount.path(), scratch.path("copy")}).exit_code == 0);
    CHECK(run_program({"diff", "-r", "--no-dereference", mount.path(), scratch.path("copy")}).out == "");
    REQUIRE(run_program({"cp", "-rL", mount.path("scripts"), scratch.path("scripts")}).exit_code == 0);
    CHECK(run_program({"diff", "-r", scratch.path("unzipped/scripts"), scratch.path("scripts")}).out == "");

    run_well({"mount", "--unmount", mount.path()});
    CHECK(!is_mounted(mount.path()));
    CHECK(list_folder(mount.path()) == "");
}

TEST_CASE_FIXTURE(PackedGame, "mount: stat reports sizes, modes, an owner and one date") {
    const MountPoint mount(scratch, "a folder with spaces");
    bool links = false;
    SUBCASE("of files") {}
    SUBCASE("of links") { links = true; }
    Arguments words{"mount", bundle, mount.path()};
    if (links)
        words.push_back("--links");
    run_well(words);

    struct stat node {};
    REQUIRE(::stat(mount.path("maps/dm01.bsp").c_str(), &node) == 0);
    CHECK(node.st_mode == (S_IFREG | 0444));
    CHECK(node.st_size == 300'000);
    CHECK(node.st_uid == ::getuid());
    CHECK(node.st_gid == ::getgid());
    CHECK(node.st_mtime == 315532800);
    CHECK(node.st_blocks * 512 >= node.st_size);
    const ino_t inode = node.st_ino;
    REQUIRE(::lstat(mount.path("maps/dm01.bsp").c_str(), &node) == 0);
    if (links) {
        CHECK(S_ISLNK(node.st_mode));
        CHECK(static_cast<std::size_t>(node.st_size) == fs::read_symlink(mount.path("maps/dm01.bsp")).string().size());
        CHECK(node.st_ino != inode);
    } else {
        CHECK(node.st_mode == (S_IFREG | 0444));
        CHECK(node.st_ino == inode);
    }
    REQUIRE(::stat(mount.path("maps").c_str(), &node) == 0);
    CHECK(node.st_mode == (S_IFDIR | 0555));
    CHECK(node.st_mtime == 315532800);

    // The same content under two names is one file.
    if (links)
        CHECK(fs::read_symlink(mount.path("textures/base/water.jpg")) ==
              fs::read_symlink(mount.path("textures/base/wasser.jpg")));
    CHECK(fs::equivalent(mount.path("textures/base/water.jpg"), mount.path("textures/base/wasser.jpg")));

    struct statvfs system {};
    REQUIRE(::statvfs(mount.path().c_str(), &system) == 0);
    CHECK(system.f_blocks * system.f_frsize >= fs::file_size(bundle));
    CHECK(system.f_bfree == 0);
    CHECK(system.f_namemax == 255);
    CHECK((system.f_flag & ST_RDONLY) != 0);

    CHECK(errno_of_reading(mount.path("nothing")) == ENOENT);
    CHECK(errno_of_reading(mount.path("no?name")) == ENOENT);
    CHECK(errno_of_reading(mount.path("assets/readme")) == ENOENT);
    CHECK(errno_of_reading(mount.path("assets/" + std::string(64, '0'))) == ENOENT);
    CHECK(errno_of_reading(mount.path(std::string(256, 'x'))) == ENAMETOOLONG);
    CHECK(errno_of_reading(mount.path("maps")) == EISDIR);
    CHECK(errno_of_reading(mount.path("default.cfg/x")) == ENOTDIR);
}

std::string attribute_of(const std::string& path, const char* name) {
    char text[256];
    const auto size = ::getxattr(path.c_str(), name, text, sizeof text);
    return size < 0 ? std::string(std::strerror(errno)) : std::string(text, static_cast<std::size_t>(size));
}

TEST_CASE_FIXTURE(PackedGame, "mount: a name and its asset share an inode number, and the id is an attribute") {
    const MountPoint mount(scratch);
    run_well({"mount", bundle, mount.path(), "--ids"});
    const std::string id = b3sum(scratch.path("game/textures/base/water.jpg"));
    std::vector<ino_t> inodes;
    for (const std::string& path : {mount.path("textures/base/water.jpg"), mount.path("textures/base/wasser.jpg"),
                                    mount.path("assets/" + id), mount.bundle(bundle) + "/textures/base/water.jpg"}) {
        CAPTURE(path);
        struct stat node {};
        REQUIRE(::lstat(path.c_str(), &node) == 0);
        CHECK(node.st_mode == (S_IFREG | 0444));
        CHECK(node.st_nlink == 1);  // more would make a copy of two names one file
        inodes.push_back(node.st_ino);
        CHECK(attribute_of(path, "user.fardel.asset") == id);
        CHECK(attribute_of(path, "user.other") == std::strerror(ENODATA));
        char names[64];
        CHECK(::listxattr(path.c_str(), names, sizeof names) == 18);
        CHECK(std::string(names) == "user.fardel.asset");
        CHECK(::getxattr(path.c_str(), "user.fardel.asset", names, 0) == 64);
        CHECK(errno_of(static_cast<int>(::getxattr(path.c_str(), "user.fardel.asset", names, 63))) == ERANGE);
    }
    CHECK(std::ranges::count(inodes, inodes[0]) == 4);
    CHECK(fs::hard_link_count(mount.path("default.cfg")) == 1);
    CHECK_FALSE(fs::equivalent(mount.path("default.cfg"), mount.path("textures/base/water.jpg")));
    CHECK(attribute_of(mount.path("maps"), "user.fardel.asset") == std::strerror(ENODATA));
    // What readdir(3) says agrees with stat(2).
    CHECK(shell_output("ls -i -U textures/base | sort", mount.path()) ==
          shell_output("stat -c '%i %n' * | sort", mount.path("textures/base")));
}

TEST_CASE("mount: an asset whose own date has passed is listed, and reading it is denied") {
    const ScratchFolder scratch;
    scratch.write("a/old.txt", "old");
    scratch.write("a/new.txt", "new");
    scratch.write("fardel.toml",
                  "name = \"x\"\nsources = [\"a\"]\n[[rule]]\nmatch = \"old.txt\"\n"
                  "metadata = { expires = 1577836800 }\n");
    run_well({"pack", scratch.path("fardel.toml"), "-o", scratch.path("x.fardel")});
    const MountedFolder mounted(scratch, {scratch.path("x.fardel")});
    CHECK(fs::file_size(mounted.path("old.txt")) == 3);
    CHECK(errno_of_reading(mounted.path("old.txt")) == EACCES);
    CHECK(contents_of(mounted.path("new.txt")) == "new");
}

TEST_CASE("mount: the game's own assets and bundles are shown, and those of ids only on request") {
    const ScratchFolder scratch;
    scratch.write("pack/assets/minecraft/stone.png", "png");
    scratch.write("pack/pack.mcmeta", "{}");
    const std::string bundle = scratch.path("pack.fardel");
    run_well({"pack", scratch.path("pack"), "-o", bundle});
    const MountPoint mount(scratch);
    run_well({"mount", bundle, mount.path()});
    CHECK(list_folder(mount.path()) == "assets/ assets/minecraft/ assets/minecraft/stone.png pack.mcmeta");
    CHECK(run_program({"diff", "-r", scratch.path("pack"), mount.path()}).out == "");
    const std::string id = b3sum(scratch.path("pack/pack.mcmeta"));
    CHECK(errno_of_reading(mount.path("assets/" + id)) == ENOENT);
    CHECK_FALSE(fs::exists(mount.bundle(bundle)));
    run_well({"mount", "--unmount", mount.path()});

    for (const char* option : {"--ids", "--links"}) {
        CAPTURE(option);
        run_well({"mount", bundle, mount.path(), option});
        CHECK(read_file(mount.path("assets/minecraft/stone.png")) == "png");
        CHECK(read_file(mount.path("assets/" + id)) == "{}");
        CHECK(shell_output("ls assets | wc -l", mount.path()) == "3\n");
        CHECK(run_program({"diff", "-r", scratch.path("pack"), mount.bundle(bundle)}).out == "");
        CHECK(fs::is_symlink(mount.path("pack.mcmeta")) == (std::string(option) == "--links"));
        run_well({"mount", "--unmount", mount.path()});
    }
}

TEST_CASE("mount: edits of a mounted folder are seen at once") {
    const ScratchFolder scratch;
    const std::string a = scratch.write("game/a.txt", "one\n");
    scratch.write("game/b.txt", "two\n");
    const MountPoint mount(scratch);
    Surroundings beside{.folder = scratch.path(".")};
    REQUIRE(run({"mount", "game", mount.path()}, beside).exit_code == 0);
    CHECK(read_file(mount.path("a.txt")) == "one\n");
    CHECK(read_file(mount.path("b.txt")) == "two\n");

    // Replaced, as most editors do; written in place; added; removed; in a new folder.
    fs::rename(scratch.write("new", "another, longer text\n"), scratch.path("game/b.txt"));
    CHECK(read_file(mount.path("b.txt")) == "another, longer text\n");
    scratch.write("game/a.txt", "uno\n");
    CHECK(read_file(mount.path("a.txt")) == "uno\n");
    CHECK_FALSE(fs::exists(mount.path("sub/n.txt")));
    scratch.write("game/sub/n.txt", "n\n");
    CHECK(read_file(mount.path("sub/n.txt")) == "n\n");
    CHECK(list_folder(mount.path()) == "a.txt b.txt sub/ sub/n.txt");
    fs::remove(a);
    CHECK(errno_of_reading(mount.path("a.txt")) == ENOENT);
    CHECK(list_folder(mount.path()) == "b.txt sub/ sub/n.txt");
}

TEST_CASE("mount: an edit that cannot be shown is said, and leaves the tree as it was") {
    const ScratchFolder scratch;
    scratch.write("game/a.txt", "one\n");
    const MountPoint mount(scratch);
    Running program({"mount", scratch.path("game"), mount.path(), "--foreground"});
    REQUIRE(wait_until([&] { return is_mounted(mount.path()); }));
    CHECK(list_folder(mount.path()) == "a.txt");
    scratch.write("game/A.txt", "two\n");
    CHECK(list_folder(mount.path()) == "a.txt");
    CHECK(read_file(mount.path("a.txt")) == "one\n");
    fs::rename(scratch.path("game/A.txt"), scratch.path("game/b.txt"));
    CHECK(list_folder(mount.path()) == "a.txt b.txt");
    program.send(SIGINT);
    const Outcome outcome = program.wait();
    CHECK(outcome.err.starts_with("fardel: an edit is not shown: "));
    CHECK(outcome.err.find("differ only in case") != std::string::npos);
    CHECK(std::ranges::count(outcome.err, '\n') == 1);
}

TEST_CASE("mount: a folder that contains its own mount is mounted as it is") {
    const ScratchFolder scratch;
    scratch.write("game/a.txt", "one\n");
    const MountPoint mount(scratch, "game/mnt");
    run_well({"mount", scratch.path("game"), mount.path()});
    CHECK(read_file(mount.path("a.txt")) == "one\n");
    scratch.write("game/b.txt", "two\n");
    CHECK(list_folder(mount.path()) == "a.txt");
}

TEST_CASE("mount: who has a file of an edited folder open reads what was opened, or an error that says why") {
    const ScratchFolder scratch;
    const std::string before = noise_text(300'000, 1), after = noise_text(300'000, 2);
    scratch.write("game/large", before);
    const MountPoint mount(scratch);
    run_well({"mount", scratch.path("game"), mount.path()});
    const int open = ::open(mount.path("large").c_str(), O_RDONLY | O_CLOEXEC);
    REQUIRE(open >= 0);
    std::string half(100'000, '\0');
    REQUIRE(::pread(open, half.data(), half.size(), 0) == 100'000);

    fs::rename(scratch.write("new", after), scratch.path("game/large"));
    for (int round = 0; round < 3; ++round) {
        CHECK(read_file(mount.path("large")) == after);
        std::string rest(200'000, '\0');
        const auto count = ::pread(open, rest.data(), rest.size(), 100'000);
        const int failure = errno_of(static_cast<int>(count));
        CHECK((failure == ESTALE || (count == 200'000 && rest == before.substr(100'000))));
        CHECK(::pread(open, half.data(), half.size(), 0) != 0);
        CHECK(half == before.substr(0, 100'000));
    }
    ::close(open);
    CHECK(read_file(mount.path("large")) == after);
}

TEST_CASE("mount: later bundles win, and tombstones hide") {
    const ScratchFolder scratch;
    const std::string base = make_bundle(scratch, "base");
    scratch.write("mod/default.cfg", "set name \"modder\"\n");
    const std::string mod = scratch.path("mod.fardel");
    run_well({"pack", scratch.path("mod"), "-o", mod, "--name", "mod", "--version", "1"});
    const std::string rich = make_rich_bundle(scratch);
    const MountPoint mount(scratch);
    run_well({"mount", base, mod, rich, mount.path(), "--ids"});
    CHECK(read_file(mount.path("default.cfg")) == "set name \"modder\"\n");
    CHECK(read_file(mount.bundle(base) + "/default.cfg") == kConfig);
    CHECK(read_file(mount.path("docs/readme.txt")).starts_with("Read me."));
    CHECK(read_file(mount.path("textures/wall")) == "astc bytes");
    CHECK(!fs::exists(fs::symlink_status(mount.path("old.cfg"))));
    CHECK(!fs::exists(fs::symlink_status(mount.path("private.dat"))));
    CHECK(read_file(mount.bundle(rich) + "/private.dat") == "private bytes");
}

TEST_CASE("mount: a folder of many names is listed completely, in order, and from any position") {
    constexpr std::size_t kCount = 50'000;
    const ScratchFolder scratch;
    const MountPoint mount(scratch);
    run_well({"mount", make_large_folder(scratch, kCount), mount.path()});

    DIR* const folder = ::opendir(mount.path("many").c_str());
    REQUIRE(folder != nullptr);
    std::vector<std::string> names;
    std::map<std::size_t, long> positions;  // by the number of names before
    for (int round = 0; round < 2; ++round) {
        names.clear();
        for (;;) {
            positions[names.size()] = ::telldir(folder);
            const dirent* const entry = ::readdir(folder);
            if (entry == nullptr)
                break;
            if (entry->d_name[0] != '.') {
                CHECK(entry->d_type == DT_REG);
                names.push_back(entry->d_name);
            }
        }
        REQUIRE(names.size() == kCount);
        CHECK(std::ranges::is_sorted(names));
        CHECK(std::ranges::adjacent_find(names) == names.end());
        ::rewinddir(folder);
    }
    for (const std::size_t index : {std::size_t{49'999}, std::size_t{31'234}, std::size_t{1}, std::size_t{40'000}}) {
        ::seekdir(folder, positions[index]);
        const dirent* const entry = ::readdir(folder);
        REQUIRE(entry != nullptr);
        CHECK(entry->d_name == names[index]);
    }
    ::closedir(folder);
    CHECK(shell_output("ls -U | wc -l", mount.path("many")) == "50000\n");
    CHECK(read_file(mount.path("many/" + names[777])) == kConfig);
}

TEST_CASE("mount: many readers at once get the same bytes") {
    const ScratchFolder scratch;
    for (int i = 0; i < 40; ++i)
        scratch.write("game/noise/" + std::to_string(i), noise_text(200'000, static_cast<std::uint64_t>(i)));
    const std::string bundle = scratch.path("game.fardel");
    run_well({"pack", scratch.path("game"), "-o", bundle, "--name", "game", "--version", "1.0", "--level", "1"});
    const MountPoint mount(scratch);
    run_well({"mount", bundle, mount.path(), "--ids"});

    std::atomic<int> good = 0;
    std::vector<std::jthread> readers;
    for (int reader = 0; reader < 8; ++reader)
        readers.emplace_back([&, reader] {
            const std::string root =
                reader % 2 == 0 ? mount.path() : mount.path("bundles/" + run_well({"id", bundle}).substr(0, 64));
            for (int i = 0; i < 40; ++i) {
                const int which = (i + 5 * reader) % 40;
                good += read_file(root + "/noise/" + std::to_string(which)) ==
                        noise_text(200'000, static_cast<std::uint64_t>(which));
            }
        });
    readers.clear();
    CHECK(good == 8 * 40);
}

TEST_CASE_FIXTURE(PackedGame, "mount: a damaged asset is an I/O error, and all others can be read") {  // A21
    const std::string content = noise_text(300'000, 1);
    const std::string bytes = read_file(bundle);
    const auto at = bytes.find(content.substr(100'000, 64));  // noise is stored uncompressed
    REQUIRE(at != std::string::npos);
    const std::string id = b3sum(scratch.path("game/maps/dm01.bsp"));
    const MountPoint mount(scratch);
    bool before = false;
    SUBCASE("before it is mounted") { before = true; }
    SUBCASE("while it is mounted") {}
    if (before)
        flip_bit(bundle, at);
    run_well({"mount", bundle, mount.path(), "--ids"});
    if (!before)
        flip_bit(bundle, at);

    CHECK(errno_of_reading(mount.path("maps/dm01.bsp")) == EIO);
    CHECK(errno_of_reading(mount.path("assets/" + id)) == EIO);
    CHECK(errno_of_reading(mount.bundle(bundle) + "/maps/dm01.bsp") == EIO);
    const Outcome by_id = run_program({"cat", mount.path("assets/" + id)});
    CHECK(by_id.exit_code == 1);
    CHECK(by_id.out == "");  // compared whole when it is opened
    const Outcome by_name = run_program({"cat", mount.path("maps/dm01.bsp")});
    CHECK(by_name.exit_code == 1);
    CHECK(by_name.out.size() < content.size());
    CHECK(content.starts_with(by_name.out));
    CHECK(read_file(mount.path("default.cfg")) == kConfig);
    CHECK(read_file(mount.path("textures/base/water.jpg")) == noise_text(5'000, 2));
    CHECK(fs::file_size(mount.path("maps/dm01.bsp")) == 300'000);

    flip_bit(bundle, at);  // repaired: the kernel must not have cached the error
    CHECK(errno_of_reading(mount.bundle(bundle) + "/maps/dm01.bsp") == 0);
}

TEST_CASE_FIXTURE(PackedGame, "mount: nothing can be written, not even by root") {
    const MountPoint mount(scratch);
    run_well({"mount", bundle, mount.path(), "--ids"});
    const std::string asset = mount.path("assets/" + b3sum(scratch.path("game/default.cfg")));
    const std::string file = mount.path("default.cfg");
    const std::string fresh = mount.path("maps/new");
    CHECK(errno_of_open(file, O_WRONLY) == EROFS);
    CHECK(errno_of_open(asset, O_RDWR) == EROFS);
    CHECK(errno_of_open(asset, O_WRONLY | O_TRUNC) == EROFS);
    CHECK(errno_of_open(fresh, O_WRONLY | O_CREAT) == EROFS);
    CHECK(errno_of(::truncate(asset.c_str(), 0)) == EROFS);
    CHECK(errno_of(::mkdir(fresh.c_str(), 0777)) == EROFS);
    CHECK(errno_of(::symlink("x", fresh.c_str())) == EROFS);
    CHECK(errno_of(::link(asset.c_str(), fresh.c_str())) == EROFS);
    CHECK(errno_of(::unlink(file.c_str())) == EROFS);
    CHECK(errno_of(::rmdir(mount.path("maps").c_str())) == EROFS);
    CHECK(errno_of(::rename(file.c_str(), fresh.c_str())) == EROFS);
    CHECK(errno_of(::chmod(asset.c_str(), 0777)) == EROFS);
    CHECK(errno_of(::utimensat(AT_FDCWD, asset.c_str(), nullptr, 0)) == EROFS);
    CHECK(read_file(file) == kConfig);
}

TEST_CASE_FIXTURE(PackedGame, "mount: replacing the bundle file does not change the mounted files") {  // A33
    const MountPoint mount(scratch);
    run_well({"mount", bundle, mount.path()});
    scratch.write("other/default.cfg", "another game\n");
    run_well({"pack", scratch.path("other"), "-o", scratch.path("other.fardel"), "--name", "other", "--version", "2"});
    fs::rename(scratch.path("other.fardel"), bundle);
    CHECK(read_file(mount.path("default.cfg")) == kConfig);
    CHECK(read_file(mount.path("maps/dm01.bsp")) == noise_text(300'000, 1));
    run_well({"mount", "--unmount", mount.path()});
    run_well({"mount", bundle, mount.path()});
    CHECK(read_file(mount.path("default.cfg")) == "another game\n");
    CHECK(!fs::exists(mount.path("maps")));
}

TEST_CASE_FIXTURE(PackedGame, "mount: a mount in use is not unmounted; an open file of a detached mount does no harm") {
    const MountPoint mount(scratch);
    run_well({"mount", bundle, mount.path()});
    const int open = ::open(mount.path("maps/dm01.bsp").c_str(), O_RDONLY | O_CLOEXEC);
    REQUIRE(open >= 0);
    const Outcome busy = run({"mount", "--unmount", mount.path()});
    CHECK(busy.exit_code == 3);
    CHECK(is_one_clear_line(busy, "busy"));

    REQUIRE(run_program({"fusermount3", "-u", "-z", mount.path()}).exit_code ==
            0);  // detaches at once, even if it is in use
    CHECK(list_folder(mount.path()) == "");
    std::string bytes(300'000, '\0');
    CHECK(::pread(open, bytes.data(), bytes.size(), 0) == 300'000);
    CHECK(bytes == noise_text(300'000, 1));
    ::close(open);
}

TEST_CASE_FIXTURE(PackedGame, "mount: --foreground stays until a signal, then unmounts") {
    const MountPoint mount(scratch);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        CAPTURE(signal);
        Running program({"mount", bundle, mount.path(), "--foreground"});
        REQUIRE(wait_until([&] { return is_mounted(mount.path()); }));
        CHECK(read_file(mount.path("default.cfg")) == kConfig);
        program.send(signal);
        const Outcome outcome = program.wait();
        CHECK(outcome.exit_code == 0);
        CHECK(outcome.out + outcome.err == "");
        CHECK(!is_mounted(mount.path()));
    }
    Running program({"mount", bundle, mount.path(), "-f"});
    REQUIRE(wait_until([&] { return is_mounted(mount.path()); }));
    CHECK(read_file(mount.path("default.cfg")) == kConfig);
    run_well({"mount", "-u", mount.path()});
    CHECK(program.wait().exit_code == 0);
}

TEST_CASE_FIXTURE(PackedGame, "mount: if its program was killed, the mount is reported and can be unmounted") {
    const MountPoint mount(scratch);
    Running program({"mount", bundle, mount.path(), "--foreground"});
    REQUIRE(wait_until([&] { return is_mounted(mount.path()); }));
    CHECK(read_file(mount.path("default.cfg")) == kConfig);
    program.send(SIGKILL);
    CHECK(program.wait().signal == SIGKILL);
    CHECK(errno_of_reading(mount.path("maps/dm01.bsp")) == ENOTCONN);

    const Outcome again = run({"mount", bundle, mount.path()});
    CHECK(again.exit_code == 3);
    CHECK(is_one_clear_line(again, "busy"));
    CHECK(again.err.find("--unmount") != std::string::npos);
    run_well({"mount", "--unmount", mount.path()});
    run_well({"mount", bundle, mount.path()});
    CHECK(read_file(mount.path("default.cfg")) == kConfig);
}

TEST_CASE_FIXTURE(PackedGame, "mount: a failure is reported in one line, and nothing is mounted") {
    const MountPoint mount(scratch);
    const std::string policy = make_policy(scratch, "p.trust", {"--author", make_key(scratch, "author") + ".pub"});
    const std::string full = scratch.path("game");
    const std::string file = scratch.write("file", "x");
    const std::string bad = scratch.write("bad.fardel", "no bundle\n");
    struct Case {
        Arguments arguments;
        int exit_code;
        std::string code;
    };
    const Case cases[] = {
        {{"mount", bundle, scratch.path("nowhere")}, 3, "missing"},
        {{"mount", bundle, file}, 3, "missing"},
        {{"mount", bundle, full}, 1, "conflict"},
        {{"mount", scratch.path("no.fardel"), mount.path()}, 3, "missing"},
        {{"mount", bad, mount.path()}, 1, "malformed"},
        {{"mount", bundle, bundle, mount.path()}, 1, "conflict"},
        {{"mount", bundle, mount.path(), "--trust", policy}, 1, "untrusted"},  // A54
        {{"mount", "--unmount", mount.path()}, 3, "missing"},
        {{"mount", "--unmount", "/proc"}, 3, "missing"},
    };
    for (const Case& wrong : cases) {
        const Outcome outcome = run(wrong.arguments);
        CAPTURE(outcome.err);
        CHECK(outcome.exit_code == wrong.exit_code);
        CHECK(is_one_clear_line(outcome, wrong.code));
        CHECK(!is_mounted(mount.path()));
    }

    run_well({"mount", bundle, mount.path()});
    const Outcome twice = run({"mount", bundle, mount.path()});
    CHECK(twice.exit_code == 1);
    CHECK(is_one_clear_line(twice, "conflict"));
}

TEST_CASE("mount: archives are read by a confined program, and one that crashes its reader is malformed") {  // A126
    const ScratchFolder scratch;
    const MountPoint mount(scratch);
    for (const char* const name : {"mod.7z", "mod.pk3"}) {
        CAPTURE(name);
        run_well({"mount", scratch.write(name, text_of(bytes_of_hex(kSevenZip))), mount.path()});
        CHECK(read_file(mount.path("default.cfg")).starts_with("bind x quit\n"));
        CHECK(read_file(mount.path("maps/dm01.bsp")) == "a level");
        run_well({"mount", "--unmount", mount.path()});

        const std::string hostile = scratch.write(name, text_of(bytes_of_hex(kCrashingSevenZip)));
        const Outcome refused = run({"mount", hostile, mount.path()});
        CHECK(refused.exit_code == 1);
        CHECK(is_one_clear_line(refused, "malformed"));
        CHECK(!is_mounted(mount.path()));
    }
}

TEST_CASE("mount: content of a class that its signer may not bring is listed and not opened") {  // A137
    const ScratchFolder scratch;
    const std::string key = make_key(scratch, "painter");
    const std::string policy = make_policy(scratch, "p.trust", {"--author", key + ".pub", "--classes", "data"});
    fs::create_directories(scratch.path("art"));
    scratch.write("art/notes.txt", "a skin\n");
    fs::copy_file("/bin/ls", scratch.path("art/skull.tga"));
    const std::string bundle = scratch.path("art.fardel");
    run_well({"pack", scratch.path("art"), "-o", bundle, "--name", "art", "--key", key});

    const MountedFolder mounted(scratch, {bundle, "--trust", policy, "--ids"});
    CHECK(contents_of(mounted.path("notes.txt")) == "a skin\n");
    CHECK(fs::exists(mounted.path("skull.tga")));
    CHECK(contents_of(mounted.path("skull.tga")).empty());
    for (const auto& asset : fs::directory_iterator(mounted.path("assets")))
        CHECK(contents_of(asset.path().string()) == (asset.file_size() == 7 ? "a skin\n" : ""));
}

TEST_CASE_FIXTURE(PackedGame, "mount: a system without FUSE is reported") {
    const MountPoint mount(scratch);
    const std::string other_devices = std::string("unshare ") + (::geteuid() == 0 ? "" : "-r ") +
                                      "--mount sh -c 'mount -t tmpfs none /dev && exec \"$FARDEL\" mount " + bundle +
                                      " " + mount.path() + "' </dev/null";
    const Outcome outcome = run_shell(other_devices);
    CAPTURE(outcome.err);
    CHECK(outcome.exit_code == 3);
    CHECK(is_one_clear_line(outcome, "missing"));
    CHECK(outcome.err.find("/dev/fuse") != std::string::npos);
}

TEST_CASE("mount: a missing static dependency is said on standard error, once, and the tree is shown") {
    const ScratchFolder scratch;
    BundlePlan plan;
    const auto bytes = std::as_bytes(std::span(kConfig));
    plan.assets.push_back({.source = make_memory_blob({bytes.begin(), bytes.end()}), .key = "asset"});
    plan.names.push_back({.name = *AssetName::parse("mod.cfg"), .variants = {{.asset = 0}}});
    plan.dependencies = {{.bundle = BundleId{{1, 2, 3}}}};
    const std::string bundle = scratch.path("mod.fardel");
    auto staged = write_bundle(plan, bundle, {});
    REQUIRE(staged);
    REQUIRE(staged->commit());
    const MountPoint mount(scratch);
    const Outcome mounted = run({"mount", bundle, mount.path()});
    CHECK(mounted.exit_code == 0);
    CHECK(mounted.err.starts_with("fardel: " + bundle + ": dependencies are not mounted"));
    CHECK(std::ranges::count(mounted.err, '\n') == 1);
    CHECK(mounted.err.find("010203" + std::string(58, '0')) != std::string::npos);
    CHECK(read_file(mount.path("mod.cfg")) == kConfig);
    run_well({"mount", "--unmount", mount.path()});
}

}  // namespace fardel::tests::mount_test
