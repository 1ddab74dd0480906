// The tree in a folder of this machine, or of one whose file system is mounted here.
#include "targets/file_pieces.h"
#include "targets/folder_entries.h"

#include <fardel/base/file.h>
#include <fardel/base/file_lock.h>
#include <fardel/base/folder.h>
#include <fardel/format/file_source.h>
#include <fardel/format/hash.h>
#include <fardel/format/name.h>
#include <fardel/format/staged_file.h>
#include <fardel/hosting/tree_target.h>

#include <chrono>
#include <thread>
#include <utility>

namespace fardel {
namespace {

constexpr std::chrono::seconds kTreeLockWait{30};
constexpr std::chrono::milliseconds kTreeLockPause{10};

Status verify_path(const std::string& path) {
    if (!is_tree_path(path))
        return Error(ErrorCode::malformed, "\"" + printable(path, 400) + "\" cannot be a path of a static tree");
    return ok();
}

class FolderTarget final : public TreeTarget {
public:
    explicit FolderTarget(std::string folder) : root_(FilePath::of_root(std::move(folder))) {
        const auto status = find_file_status(root_, root_);
        was_there_ = status && *status;
    }

    std::string name() const override { return "the folder " + printable(root_.text(), 400); }

    Result<std::shared_ptr<const ByteSource>> open(const std::string& path) override {
        FARDEL_TRY(verify_path(path));
        return open_source(path);
    }

    Result<PutOutcome> put(const std::string& path, const ByteSource& bytes, const PublishWork& work) override {
        FARDEL_TRY(verify_path(path));
        FARDEL_TRY(create_folder_of(path));
        auto there = open_source(path);
        if (there)
            return compare(path, bytes, **there, work);
        if (there.error().code() != ErrorCode::missing)
            return std::move(there).error();
        FARDEL_TRY_ASSIGN(const auto staged, stage_file(path_of(path), ExistingFile::kept));
        FARDEL_TRY(read_file_pieces(bytes, work, [&](std::uint64_t at, std::span<const std::byte> piece) {
            return staged->write_at(at, piece);
        }));
        const Status written = staged->commit();
        if (written)
            return PutOutcome::written;
        if (written.error().code() != ErrorCode::conflict)
            return written.error();
        there = open_source(path);
        if (!there)
            return std::move(there).error();
        return compare(path, bytes, **there, work);  // another publisher was faster
    }

    Result<std::optional<TreeHead>> find_head(const std::string& path) override {
        FARDEL_TRY(verify_path(path));
        auto file = open_source(path);
        if (!file) {
            if (file.error().code() != ErrorCode::missing)
                return std::move(file).error();
            FARDEL_TRY(verify_there());
            return std::optional<TreeHead>();
        }
        if ((*file)->size_bytes() > kTreeHeadBytesMax)
            return Error(ErrorCode::limit, printable(path_of(path).text()) + ": larger than a head may be");
        TreeHead head;
        head.bytes.resize(static_cast<std::size_t>((*file)->size_bytes()));
        FARDEL_TRY((*file)->read_at(0, head.bytes));
        head.version = blake3(head.bytes).hex();
        return std::optional<TreeHead>(std::move(head));
    }

    Status replace_head(const std::string& path, std::span<const std::byte> bytes,
                        const std::string& version) override {
        FARDEL_TRY(verify_path(path));
        FARDEL_TRY(create_folder_of(path));
        FARDEL_TRY_ASSIGN(const Descriptor lock, lock_tree());
        FARDEL_TRY_ASSIGN(const auto there, find_head(path));
        if ((there ? there->version : "") != version)
            return Error(ErrorCode::conflict, printable(path_of(path).text()) + ": another program has replaced it");
        FARDEL_TRY_ASSIGN(const auto staged, stage_file(path_of(path)));
        FARDEL_TRY(staged->write_at(0, bytes));
        return staged->commit();
    }

    Result<std::vector<TreeFile>> list(const std::string& folder) override {
        FARDEL_TRY_ASSIGN(FolderEntries entries, list_entries(folder));
        return std::move(entries.files);
    }
    Result<std::vector<TreeFile>> list_below(const std::string& folder) override {
        return list_folders_below(folder, [this](const std::string& one) { return list_entries(one); });
    }

    Result<bool> remove(const std::string& path) override {
        FARDEL_TRY(verify_path(path));
        const FilePath file = path_of(path);
        const FilePath folder = file.folder();
        // In the open folder: a name that is away for a moment, with its disk, must not count as absent.
        FARDEL_TRY_ASSIGN(const Descriptor opened, open_folder(folder, folder));
        FARDEL_TRY_ASSIGN(const bool removed, remove_file({opened, path.substr(path.rfind('/') + 1)}, file));
        FARDEL_TRY(sync_folder(folder));
        return removed;
    }

private:
    FilePath path_of(const std::string& path) const { return root_ / path; }

    Result<std::shared_ptr<const ByteSource>> open_source(const std::string& path) const {
        const FilePath file = path_of(path);
        FARDEL_TRY_ASSIGN(RegularFile opened, open_regular_file(file, file));
        return make_file_source(std::move(opened.descriptor), opened.status.size_bytes, file.text());
    }

    // What is not there is absent only if the tree is there.
    Status verify_there() const {
        if (was_there_)
            FARDEL_TRY(file_status(root_, root_));
        return ok();
    }
    // A tree that was there is not begun again where its disk was.
    Status create_folder_of(const std::string& path) {
        if (!was_there_)
            FARDEL_TRY(create_folders(root_.text(), Lasting::yes));
        was_there_ = true;
        return create_folders_below_root(path_of(path).folder(), Lasting::yes);
    }

    Result<FolderEntries> list_entries(const std::string& folder) const {
        FARDEL_TRY(verify_path(folder));
        FolderEntries entries;
        auto opened = open_folder(path_of(folder), path_of(folder));
        if (!opened) {
            if (opened.error().code() != ErrorCode::missing)
                return std::move(opened).error();
            FARDEL_TRY(verify_there());
            return entries;
        }
        FARDEL_TRY_ASSIGN(const auto names, list_names(*opened, path_of(folder)));
        for (const std::string& name : names) {
            const std::string path = folder + "/" + name;
            if (!is_tree_path(path))
                continue;
            FARDEL_TRY_ASSIGN(const auto status, find_file_status({*opened, name}, path_of(path)));
            if (!status)
                continue;
            if (status->is_folder())
                entries.folders.push_back(path);
            else if (status->is_file())
                entries.files.push_back({.path = path, .size_bytes = status->size_bytes});
        }
        return entries;
    }

    Result<PutOutcome> compare(const std::string& path, const ByteSource& bytes, const ByteSource& there,
                               const PublishWork& work) const {
        FARDEL_TRY_ASSIGN(const bool equal, has_equal_bytes(bytes, there, work));
        if (!equal)
            return Error(ErrorCode::conflict, printable(path_of(path).text()) + ": is there with other bytes");
        return PutOutcome::was_there;
    }

    // The lock lasts until the descriptor is closed.
    Result<Descriptor> lock_tree() const {
        const FilePath path = root_ / ".fardel-tree.lock";
        FARDEL_TRY_ASSIGN(Descriptor file, open_lock_file(path));
        const auto deadline = std::chrono::steady_clock::now() + kTreeLockWait;
        for (;;) {
            FARDEL_TRY_ASSIGN(const bool locked, lock_file(file, path));
            if (locked)
                return file;
            if (std::chrono::steady_clock::now() > deadline)
                return Error(ErrorCode::busy, printable(path.text()) + ": another program writes into this tree");
            std::this_thread::sleep_for(kTreeLockPause);
        }
    }

    const FilePath root_;
    bool was_there_ = false;
};

}  // namespace

std::unique_ptr<TreeTarget> make_folder_target(std::string folder) {
    return std::make_unique<FolderTarget>(std::move(folder));
}

}  // namespace fardel
