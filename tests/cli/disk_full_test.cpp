// A real full disk: a small tmpfs, where we may mount one.

#include "sample.h"

#include <sys/mount.h>
#include <unistd.h>

#include <csignal>

using namespace fardel::tests;
namespace fs = std::filesystem;

namespace {

class SmallDisk {
public:
    explicit SmallDisk(std::string path) : path_(std::move(path)) {
        fs::create_directory(path_);
        mounted_ = ::mount("tmpfs", path_.c_str(), "tmpfs", 0, "size=128k") == 0;
    }
    ~SmallDisk() {
        if (mounted_)
            ::umount2(path_.c_str(), MNT_DETACH);
    }
    SmallDisk(const SmallDisk&) = delete;
    SmallDisk& operator=(const SmallDisk&) = delete;
    bool mounted() const { return mounted_; }
    const std::string& path() const { return path_; }

private:
    std::string path_;
    bool mounted_ = false;
};

}  // namespace

TEST_CASE("a full disk: pack and extract say so and leave nothing; sign leaves the bundle as it was") {
    const ScratchFolder scratch;
    const std::string game = make_game(scratch);
    const std::string bundle = scratch.path("game.fardel");
    run_well({"pack", game, "-o", bundle});
    const SmallDisk disk(scratch.path("disk"));
    if (!disk.mounted()) {
        MESSAGE("no permission to mount a tmpfs");
        return;
    }
    const Outcome pack = run({"pack", game, "-o", disk.path() + "/x.fardel"});
    CHECK(pack.exit_code == 3);
    CHECK(is_one_clear_line(pack, "no_space"));
    CHECK(list_folder(disk.path()) == "");

    const Outcome extract = run({"extract", bundle, "-C", disk.path() + "/out"});
    CHECK(extract.exit_code == 3);
    CHECK(is_one_clear_line(extract, "no_space"));
    CHECK(list_folder(disk.path()) == "");

    scratch.write("tiny/a.txt", "a");
    const std::string tiny = disk.path() + "/tiny.fardel";
    run_well({"pack", scratch.path("tiny"), "-o", tiny});
    const std::string key = make_key(scratch, "author");
    std::string filler(4096, 'x');
    const std::string before = read_file(tiny);
    for (int i = 0; run_program({"dd", "if=/dev/zero", "of=" + disk.path() + "/filler" + std::to_string(i), "bs=4096", "count=1"}).exit_code == 0; ++i) {
    }
    const Outcome sign = run({"sign", tiny, "--key", key, "--role", "author"});
    if (sign.exit_code != 0) {   // its last page may have room
        CHECK(sign.exit_code == 3);
        CHECK(is_one_clear_line(sign, "no_space"));
        CHECK(read_file(tiny) == before);
    }
    const Outcome keygen = run({"keygen", "-o", disk.path() + "/new.key", "--no-passphrase"});
    CHECK(keygen.exit_code == 3);
    CHECK(is_one_clear_line(keygen, "no_space"));
    CHECK_FALSE(fs::exists(disk.path() + "/new.key"));
    CHECK_FALSE(fs::exists(disk.path() + "/new.key.pub"));
}
