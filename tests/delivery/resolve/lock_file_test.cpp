#include <fardel/delivery/lock_file.h>
#include <fardel/delivery/needs_text.h>

#include "kit/files.h"
#include "kit/ids.h"

namespace fardel::tests::lock_file_test {

const std::string kA = std::string(64, 'a');
const std::string kB = std::string(64, 'b');
const std::string kC = std::string(64, 'c');

const std::string kLock =
    "fardel-lock 1\n"
    "channel mods/all " +
    kC +
    "\n"
    "release 17\n"
    "source https://example.org/mods\n"
    "root " +
    kB +
    " castle >= 1.0, < 2\n"
    "bundle " +
    kA +
    "\n"
    "name studio/base\n"
    "version 1.2\n"
    "bundle " +
    kB +
    "\n"
    "name castle\n"
    "version 1.0\n"
    "needs " +
    kA +
    "\n"
    "requires " +
    kA + " studio/base\n";

std::string with(std::string text, const std::string& from, const std::string& to) {
    const auto at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
}

TEST_CASE("lock file: it is read, and written in the same bytes") {
    const LockFile lock = value_of(parse_lock_file(kLock));
    CHECK(lock.channel == "mods/all");
    CHECK(lock.release == 17);
    REQUIRE(lock.resolution.bundles.size() == 2);
    CHECK(lock.resolution.bundles[1].requirements[0].bundle.hex() == kA);
    CHECK(format_lock_file(lock) == kLock);
    const ScratchFolder scratch;
    CHECK(write_lock_file(scratch.path("mods.lock"), lock));
    CHECK(scratch.read("mods.lock") == kLock);
    CHECK(value_of(read_lock_file(scratch.path("mods.lock"))) == lock);
    scratch.write("mods.lock", with_windows_ends(kLock));
    CHECK(value_of(read_lock_file(scratch.path("mods.lock"))) == lock);
    check_error(parse_lock_file(with_windows_ends(kLock)), ErrorCode::malformed, "line 1 ends in CR LF");
}

TEST_CASE("lock file: each prefix is refused, except those that end with a whole lock") {
    for (std::size_t size = 0; size < kLock.size(); ++size) {
        CAPTURE(size);
        const auto lock = parse_lock_file(kLock.substr(0, size));
        if (lock)
            CHECK(format_lock_file(*lock) == kLock.substr(0, size));
    }
    CHECK_FALSE(parse_lock_file(kLock.substr(0, kLock.size() - 1)));
    CHECK_FALSE(parse_lock_file(kLock + "x"));
    CHECK_FALSE(parse_lock_file(kLock + "\n"));
}

TEST_CASE("lock file: it has no paths: sources are URLs of servers, names are names (A132)") {
    for (const std::string source : {"/etc", "../mods", "file:///etc/passwd", "C:\\mods", "ftp://example.org/",
                                     "https://user:secret@example.org/mods", "https://example.org/mods?x"}) {
        CAPTURE(source);
        CHECK(code_of(parse_lock_file(with(kLock, "https://example.org/mods", source))) == ErrorCode::malformed);
    }
    for (const std::string name : {"../castle", "/castle", "castle/", "a//b", "con"}) {
        CAPTURE(name);
        CHECK_FALSE(parse_lock_file(with(kLock, "name castle", "name " + name)));
        CHECK_FALSE(parse_lock_file(with(kLock, "channel mods/all", "channel " + name)));
    }
    CHECK_FALSE(parse_lock_file(with(kLock, "bundle " + kA, "bundle /tmp/x.fardel")));
    CHECK_FALSE(parse_lock_file(with(kLock, "bundle " + kA, "path /tmp/x.fardel")));
}

TEST_CASE("lock file: what it means is in it, and what is in it is meant") {
    check_error(parse_lock_file(with(kLock, "requires " + kA, "requires " + kC)), ErrorCode::malformed,
                "it has no bundle");
    check_error(parse_lock_file(with(kLock, "root " + kB, "root " + kC)), ErrorCode::malformed, "it has no bundle");
    check_error(parse_lock_file(kLock + "bundle " + kC + "\n"), ErrorCode::malformed, "no root needs");
    check_error(parse_lock_file(with(kLock, "needs " + kA, "needs " + kC)), ErrorCode::malformed, "stands before");
    check_error(parse_lock_file(with(kLock, "needs " + kA, "needs " + kB)), ErrorCode::malformed, "stands before");
    check_error(parse_lock_file(with(kLock, "bundle " + kB, "bundle " + kA)), ErrorCode::malformed, "twice");
    check_error(parse_lock_file(with(kLock, ">= 1.0, < 2", ">=1.0,<2")), ErrorCode::malformed, "as Fardel writes it");
    check_error(parse_lock_file(with(kLock, "fardel-lock 1", "fardel-lock 2")), ErrorCode::unsupported, "later");
    check_error(parse_lock_file(with(kLock, "org/mods", "org/mods/")), ErrorCode::malformed, "as Fardel writes it");
    check_error(parse_lock_file(with(kLock, "release 17", "release 017")), ErrorCode::malformed, "line 3");
    check_error(parse_lock_file(with(kLock, "name castle", "name cas\x1btle")), ErrorCode::malformed, "control");
    check_error(parse_lock_file(std::string(kLockBytesMax + 1, 'x')), ErrorCode::limit, "bytes");
}

TEST_CASE("lock file: it has authors, and one of before without them is read") {  // A146
    const std::string text = with(with(kLock, "version 1.2\n", "version 1.2\nauthor " + kC + "\n"), "version 1.0\n",
                                  "version 1.0\nauthor " + kA + "\n");
    const LockFile lock = value_of(parse_lock_file(text));
    REQUIRE(lock.resolution.bundles[1].author);
    CHECK(lock.resolution.bundles[1].author->hex() == kA);
    CHECK(format_lock_file(lock) == text);
    CHECK_FALSE(value_of(parse_lock_file(kLock)).resolution.bundles[1].author);
    check_error(parse_lock_file(with(text, "author " + kA, "author alice")), ErrorCode::malformed, "author KEY");
    check_error(parse_lock_file(with(text, "author " + kA, "author " + kA + "\nauthor " + kA)), ErrorCode::malformed,
                "does not belong here");
}

TEST_CASE("lock file: its lists have limits") {
    std::string sources;
    for (std::size_t i = 0; i < kLockSourcesMax; ++i)
        sources += "source https://example.org/" + std::to_string(i) + "\n";
    CHECK(parse_lock_file(with(kLock, "source https://example.org/mods\n", sources)));
    CHECK(code_of(parse_lock_file(with(kLock, "root ", sources + "root "))) == ErrorCode::limit);
}

TEST_CASE("release needs: the text is read, and written in the same bytes") {
    const std::string text =
        "fardel-requirements 1\n"
        "bundle " +
        kA +
        "\n"
        "bundle " +
        kB +
        "\n"
        "needs " +
        kA +
        "\n"
        "requires lib\n"
        "requires studio/base >= 1.0, < 2\n";
    const NeedsOfBundles needs = value_of(parse_release_needs(text));
    CHECK(needs.size() == 2);
    CHECK(format_release_needs(needs) == text);
    for (std::size_t size = 0; size < text.size(); ++size)
        if (const auto part = parse_release_needs(text.substr(0, size)))
            CHECK(format_release_needs(*part) == text.substr(0, size));
    CHECK(code_of(parse_release_needs(with(text, "bundle " + kA, "bundle " + kC))) == ErrorCode::malformed);
    CHECK(code_of(parse_release_needs(with(text, "requires lib", "requires zlib"))) == ErrorCode::malformed);
    CHECK(code_of(parse_release_needs(with(text, "requires lib", "needs /etc"))) == ErrorCode::malformed);
    CHECK(code_of(parse_release_needs(with(text, ">= 1.0, < 2", ">=1.0,<2"))) == ErrorCode::malformed);
    CHECK(code_of(parse_release_needs(with(text, "ments 1", "ments 2"))) == ErrorCode::unsupported);
    CHECK(code_of(parse_release_needs(std::string(kReleaseNeedsBytesMax + 1, 'x'))) == ErrorCode::limit);
}

}  // namespace fardel::tests::lock_file_test
