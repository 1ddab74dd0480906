// Files that enter and leave the store without being copied, where the disk can
// share their blocks.
#include "bundles/add_bundle.h"
#include "bundles/export_bundle.h"
#include "bundles/retention_folder.h"

#include "kit/bundles.h"
#include "kit/disks.h"
#include "kit/files.h"
#include "kit/portable.h"

#include <fardel/base/file.h>
#include <fardel/store/bundle_reference.h>

#include <linux/fiemap.h>
#include <linux/fs.h>
#include <sys/ioctl.h>

#include <functional>

namespace fardel::tests::file_clone_test {

Bytes bundle_of(std::string_view version) {
    return BundleMaker().add_data("a.bin", noise_text(400'000, 1)).add("version.txt", version).write_quickly();
}

// A clone for a disk that has none: it copies, and counts.
class CountedClone {
public:
    using Change = std::function<void(Bytes& bytes)>;
    explicit CountedClone(Change change = nullptr) : change_(std::move(change)) {}

    Result<bool> operator()(const Descriptor& from, const Descriptor& to, std::string_view subject) {
        ++*calls_;
        FARDEL_TRY_ASSIGN(const FileStatus status, file_status(from, subject));
        Bytes bytes(status.size_bytes);
        FARDEL_TRY(read_whole_at(from, 0, bytes, subject));
        if (change_)
            change_(bytes);
        FARDEL_TRY(write_whole_at(to, 0, bytes, subject));
        return true;
    }
    int calls() const { return *calls_; }

private:
    Change change_;
    std::shared_ptr<int> calls_ = std::make_shared<int>(0);
};

class ClonedStore {
public:
    explicit ClonedStore(const ScratchFolder& scratch)
        : path_(scratch.path("store")), folder_(value_of(StoreFolder::open(path_, true))) {}

    Result<StoreAddition> add(const std::string& file, const CloneFile& clone) const {
        const auto bundle = value_of(Bundle::open(value_of(open_file_source(file)), {}));
        auto lease = value_of(StoreLease::open(std::make_shared<RetentionFolder>(folder_)));
        REQUIRE(lease.hold({.bundles = {bundle->id()}, .packs = {}}));
        return add_bundle(folder_, lease, *bundle, {}, clone);
    }
    Status write_file(const BundleId& id, const std::string& path, const CloneFile& clone) const {
        const auto source = value_of(store().open_bundle(id));
        return export_stored_bundle(folder_, *source, value_of(folder_.find_record(id)), path, {}, clone);
    }
    BundleStore store() const { return value_of(BundleStore::open(path_, false)); }
    std::vector<fs::path> packs() const { return paths_below(path_ + "/packs"); }

private:
    std::string path_;
    StoreFolder folder_;
};

Result<bool> cannot_clone(const Descriptor&, const Descriptor&, std::string_view) { return false; }

TEST_CASE(
    "file clone: a bundle of which the store has no block is cloned in "
    "and out") {
    const ScratchFolder scratch;
    const ClonedStore store(scratch);
    const Bytes first = bundle_of("1");
    const Bytes second = bundle_of("2");
    CountedClone clone;
    const StoreAddition added = value_of(store.add(scratch.write("first.fardel", first), clone));
    CHECK(clone.calls() == 1);
    CHECK(added.written_bytes == first.size());
    REQUIRE(store.packs().size() == 1);
    CHECK(read_file(store.packs()[0]) == text_of(first));
    CHECK(value_of(store.store().check(true)).findings.empty());
    CHECK(store.write_file(added.bundle, scratch.path("out.fardel"), clone));
    CHECK(clone.calls() == 2);
    CHECK(read_file(scratch.path("out.fardel")) == text_of(first));
    CHECK((fs::status(scratch.path("out.fardel")).permissions() & fs::perms::owner_write) != fs::perms::none);

    // One that shares blocks lies in two packs, and is copied.
    const StoreAddition shared = value_of(store.add(scratch.write("second.fardel", second), clone));
    CHECK(shared.shared_bytes >= 400'000);
    CHECK(store.write_file(shared.bundle, scratch.path("out2.fardel"), clone));
    CHECK(clone.calls() == 2);
    CHECK(read_file(scratch.path("out2.fardel")) == text_of(second));
    CHECK(value_of(store.store().check(true)).findings.empty());
}

TEST_CASE("file clone: where the disk cannot, the same store is made by copying") {
    const ScratchFolder scratch;
    const ClonedStore store(scratch);
    const Bytes bytes = bundle_of("1");
    const StoreAddition added = value_of(store.add(scratch.write("first.fardel", bytes), cannot_clone));
    CHECK(added.written_bytes == bytes.size());
    REQUIRE(store.packs().size() == 1);
    CHECK(read_file(store.packs()[0]) == text_of(bytes));
    CHECK(store.write_file(added.bundle, scratch.path("out.fardel"), cannot_clone));
    CHECK(read_file(scratch.path("out.fardel")) == text_of(bytes));
    CHECK(value_of(store.store().check(true)).findings.empty());
}

TEST_CASE(
    "file clone: what changed before it was cloned is refused, and "
    "nothing of it stays") {
    const ScratchFolder scratch;
    const ClonedStore store(scratch);
    const Bytes bytes = bundle_of("1");
    const std::string path = scratch.write("first.fardel", bytes);
    const auto code = [&](CountedClone clone) { return code_of(store.add(path, clone)); };
    CHECK(code(CountedClone([](Bytes& b) { b[b.size() / 2] ^= std::byte{1}; })) == ErrorCode::corrupt);
    CHECK(code(CountedClone([](Bytes& b) { b.pop_back(); })) == ErrorCode::conflict);
    CHECK(code(CountedClone([](Bytes& b) { b.push_back(std::byte{0}); })) == ErrorCode::conflict);
    CHECK(code_of(store.add(path, [](const Descriptor&, const Descriptor&, std::string_view) -> Result<bool> {
              return Error(ErrorCode::no_space, "full");
          })) == ErrorCode::no_space);
    CHECK(store.packs().empty());
    CHECK(value_of(store.store().list()).empty());

    const BundleId id = value_of(store.add(path, cannot_clone)).bundle;
    scratch.write("out.fardel", "what was there");
    CHECK(code_of(store.write_file(id, scratch.path("out.fardel"),
                                   [](const Descriptor&, const Descriptor&, std::string_view) -> Result<bool> {
                                       return Error(ErrorCode::no_space, "full");
                                   })) == ErrorCode::no_space);
    CHECK(read_file(scratch.path("out.fardel")) == "what was there");
}

TEST_CASE(
    "file clone: a bundle that lies elsewhere is copied out, because its "
    "file may be written to") {
    const ScratchFolder scratch;
    const ClonedStore store(scratch);
    const Bytes bytes = bundle_of("1");
    grow_old();
    CountedClone clone;
    const BundleId id = value_of(add_reference(store.store(), scratch.write("first.fardel", bytes))).bundle;
    CHECK(store.write_file(id, scratch.path("out.fardel"), clone));
    CHECK(clone.calls() == 0);
    CHECK(read_file(scratch.path("out.fardel")) == text_of(bytes));
}

// Whether all of the file's blocks belong to another file, too.
bool shares_blocks(const std::string& path) {
    const auto file = value_of(open_file(path, path));
    REQUIRE(sync_file(file, path));
    constexpr std::uint32_t kExtentsMax = 64;
    std::vector<fiemap_extent> room(kExtentsMax + 2);  // the head first, which is shorter than two of them
    static_assert(sizeof(fiemap) < 2 * sizeof(fiemap_extent));
    auto* const head = reinterpret_cast<fiemap*>(room.data());
    head->fm_length = FIEMAP_MAX_OFFSET;
    head->fm_flags = FIEMAP_FLAG_SYNC;
    head->fm_extent_count = kExtentsMax;
    REQUIRE(::ioctl(file.number(), FS_IOC_FIEMAP, head) == 0);
    REQUIRE(head->fm_mapped_extents > 0);
    const auto* const extents =
        reinterpret_cast<const fiemap_extent*>(reinterpret_cast<const std::byte*>(head) + sizeof(fiemap));
    for (std::uint32_t i = 0; i < head->fm_mapped_extents; ++i)
        if ((extents[i].fe_flags & FIEMAP_EXTENT_SHARED) == 0)
            return false;
    return true;
}

TEST_CASE(
    "file clone: on a disk with reflinks, file, store and export share "
    "blocks, and none changes another") {
    if (!can_share_blocks())
        return;
    const ScratchFolder scratch;
    const ReflinkDisk disk(scratch);
    if (!disk.mounted()) {
        MESSAGE(
            "no disk with reflinks: it needs root, a loop device and "
            "mkfs.btrfs (btrfs-progs)");
        return;
    }
    const Bytes bytes = bundle_of("1");
    const std::string path = disk.path("first.fardel");
    const std::string out = disk.path("out.fardel");
    write_file(path, text_of(bytes));
    const BundleStore store = value_of(BundleStore::open(disk.path("store"), true));
    const BundleId id = value_of(store.add(value_of(open_file_source(path)))).bundle;
    const std::string pack = paths_below(disk.path("store/packs")).at(0);
    CHECK(shares_blocks(pack));
    REQUIRE(store.export_bundle(id, out));
    CHECK(shares_blocks(out));
    CHECK(read_file(out) == text_of(bytes));

    write_file(path, "overwritten");
    write_file(out, "overwritten");
    CHECK(read_file(pack) == text_of(bytes));
    CHECK(value_of(store.check(true)).findings.empty());
    CHECK((fs::status(pack).permissions() & fs::perms::owner_write) == fs::perms::none);

    // To another file system, bytes are copied.
    REQUIRE(store.export_bundle(id, scratch.path("elsewhere.fardel")));
    CHECK(read_file(scratch.path("elsewhere.fardel")) == text_of(bytes));
}

}  // namespace fardel::tests::file_clone_test
