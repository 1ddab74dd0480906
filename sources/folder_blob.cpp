#include "folder_blob.h"

#include <fardel/base/file.h>
#include <fardel/base/folder.h>
#include <fardel/base/system_memory.h>
#include <fardel/format/byte_source.h>
#include <fardel/format/hash.h>

#include <algorithm>
#include <cerrno>
#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace fardel {
namespace {

Error changed(const std::string& path) {
    return Error(ErrorCode::conflict,
                 path + ": changed since the folder was scanned; wait until no program writes to it");
}

// A part that is missing, or is now a link or no folder, is a change.
Error open_error(Error error, const std::string& path) {
    return error.code() == ErrorCode::missing || error.system_number() == ELOOP ? changed(path) : std::move(error);
}

bool has_stamp(const FileStatus& status, const FileStamp& stamp) {
    return status.is_file() && FileStamp(status) == stamp;
}

// Reads at any offset of the opened file. The stamp is compared after each read, so a write in between is noticed.
class FolderBytes final : public ByteSource {
public:
    FolderBytes(Descriptor file, std::string path, const FileStamp& stamp, std::uint64_t size_bytes)
        : file_(std::move(file)), path_(std::move(path)), stamp_(stamp), size_bytes_(size_bytes) {}

    std::uint64_t size_bytes() const noexcept override { return size_bytes_; }

    Status read_at(std::uint64_t offset, std::span<std::byte> out) const override {
        FARDEL_TRY_ASSIGN(const std::size_t count, read_whole_at(file_, offset, out, path_));
        const auto status = file_status(file_, {});
        return count == out.size() && status && has_stamp(*status, stamp_) ? ok() : Status(changed(path_));
    }

private:
    Descriptor file_;
    std::string path_;
    FileStamp stamp_;
    std::uint64_t size_bytes_;
};

class FolderBlob final : public BlobSource {
public:
    // The root outlives the blob.
    FolderBlob(const FolderRoot& root, SharedText name, const FileStamp& stamp, bool is_young)
        : root_(&root), name_(std::move(name)), stamp_(stamp), is_young_(is_young) {}

    Result<std::unique_ptr<BlobStream>> open() const override {
        FARDEL_TRY_ASSIGN(auto bytes, open_bytes());
        return open_stream_of(std::move(bytes));
    }
    Result<std::shared_ptr<const ByteSource>> open_bytes() const override {
        std::string shown = path();
        FARDEL_TRY_ASSIGN(Descriptor file, open_named(shown));
        // Anything but the file that was scanned is a conflict.
        const auto status = file_status(file, {});
        if (!status || !has_stamp(*status, stamp_))
            return changed(shown);
        return std::shared_ptr<const ByteSource>(
            std::make_shared<FolderBytes>(std::move(file), std::move(shown), stamp_, status->size_bytes));
    }
    std::optional<Hash> find_version() const override {
        return is_young_ ? std::nullopt : std::optional(stamp_.version());
    }

private:
    std::string path() const { return root_->path + '/' + printable(name_, SIZE_MAX); }

    // Opens what has the name now.
    Result<Descriptor> open_named(const std::string& shown) const {
        Descriptor folder;
        const auto parent = [&]() -> const Descriptor& { return folder ? folder : root_->descriptor; };
        const std::string name = name_.text();
        std::size_t at = 0;
        for (std::size_t slash; (slash = name.find('/', at)) != name.npos; at = slash + 1) {
            auto next = open_folder({parent(), name.substr(at, slash - at)}, shown, {.links = Links::refused});
            if (!next)
                return open_error(std::move(next).error(), shown);
            folder = *std::move(next);
        }
        auto file = open_file({parent(), name.substr(at)}, shown, {.links = Links::refused});
        if (!file)
            return open_error(std::move(file).error(), shown);
        return file;
    }

    const FolderRoot* root_;
    SharedText name_;
    FileStamp stamp_;
    bool is_young_;
};

}  // namespace

FileStamp::FileStamp(const FileStatus& status) noexcept {
    const std::uint64_t numbers[] = {status.device, status.inode, status.size_bytes,
                                     static_cast<std::uint64_t>(status.modified_ns),
                                     static_cast<std::uint64_t>(status.changed_ns)};
    const Hash hash = blake3(std::as_bytes(std::span(numbers)));
    std::copy_n(hash.bytes.begin(), bytes_.size(), bytes_.begin());
}

Hash FileStamp::version() const noexcept {
    Hash version{};
    std::ranges::copy(bytes_, version.bytes.begin());
    return version;
}

struct FolderBlobs::List {
    std::vector<std::shared_ptr<const FolderRoot>> roots;  // of the blobs
    SystemMemory memory;
    std::pmr::deque<FolderBlob> blobs{&memory};  // none of them moves
};

FolderBlobs::FolderBlobs() : list_(std::make_shared<List>()) {}

std::shared_ptr<const BlobSource> FolderBlobs::add(std::shared_ptr<const FolderRoot> root, SharedText name,
                                                   FileStamp stamp, bool is_young) {
    const FolderRoot& of_blob = *root;
    if (list_->roots.empty() || list_->roots.back() != root)
        list_->roots.push_back(std::move(root));
    return {list_, &list_->blobs.emplace_back(of_blob, std::move(name), stamp, is_young)};
}

}  // namespace fardel
