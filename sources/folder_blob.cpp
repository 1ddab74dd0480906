#include "folder_blob.h"

#include <fardel/base/file.h>
#include <fardel/base/folder.h>
#include <fardel/format/byte_source.h>
#include <fardel/format/hash.h>

#include <cerrno>
#include <deque>
#include <optional>
#include <utility>

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

std::optional<FileStamp> find_stamp(const Descriptor& file) {
    const auto status = file_status(file, {});
    return status && status->is_file() ? std::optional(FileStamp(*status)) : std::nullopt;
}

// Reads at any offset of the opened file. The stamp is compared after each read, so a write in between is noticed.
class FolderBytes final : public ByteSource {
public:
    FolderBytes(Descriptor file, std::string path, const FileStamp& stamp)
        : file_(std::move(file)), path_(std::move(path)), stamp_(stamp) {}

    std::uint64_t size_bytes() const noexcept override { return stamp_.size_bytes; }

    Status read_at(std::uint64_t offset, std::span<std::byte> out) const override {
        FARDEL_TRY_ASSIGN(const std::size_t count, read_whole_at(file_, offset, out, path_));
        return count == out.size() && find_stamp(file_) == stamp_ ? ok() : Status(changed(path_));
    }

private:
    Descriptor file_;
    std::string path_;
    FileStamp stamp_;
};

class FolderBlob final : public BlobSource {
public:
    FolderBlob(std::shared_ptr<const FolderRoot> root, SharedText name, const FileStamp& stamp, bool is_young)
        : root_(std::move(root)), name_(std::move(name)), stamp_(stamp), is_young_(is_young) {}

    Result<std::unique_ptr<BlobStream>> open() const override {
        FARDEL_TRY_ASSIGN(auto bytes, open_bytes());
        return open_stream_of(std::move(bytes));
    }
    Result<std::shared_ptr<const ByteSource>> open_bytes() const override {
        FARDEL_TRY_ASSIGN(Descriptor file, open_scanned());
        return std::shared_ptr<const ByteSource>(std::make_shared<FolderBytes>(std::move(file), path(), stamp_));
    }
    std::optional<Hash> find_version() const override {
        if (is_young_)
            return std::nullopt;
        const std::uint64_t numbers[] = {stamp_.device, stamp_.inode, stamp_.size_bytes,
                                         static_cast<std::uint64_t>(stamp_.modified_ns),
                                         static_cast<std::uint64_t>(stamp_.changed_ns)};
        return blake3(std::as_bytes(std::span(numbers)));
    }

private:
    std::string path() const { return root_->path + '/' + printable(name_, SIZE_MAX); }

    // Opens the file that was scanned; anything else there is a conflict.
    Result<Descriptor> open_scanned() const {
        const std::string shown = path();
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
        if (find_stamp(*file) != stamp_)
            return changed(shown);
        return file;
    }

    std::shared_ptr<const FolderRoot> root_;
    SharedText name_;
    FileStamp stamp_;
    bool is_young_;
};

}  // namespace

FileStamp::FileStamp(const FileStatus& status) noexcept
    : device(status.device),
      inode(status.inode),
      size_bytes(status.size_bytes),
      modified_ns(status.modified_ns),
      changed_ns(status.changed_ns) {}

struct FolderBlobs::List {
    std::deque<FolderBlob> blobs;  // none of them moves
};

FolderBlobs::FolderBlobs() : list_(std::make_shared<List>()) {}

std::shared_ptr<const BlobSource> FolderBlobs::add(std::shared_ptr<const FolderRoot> root, SharedText name,
                                                   FileStamp stamp, bool is_young) {
    return {list_, &list_->blobs.emplace_back(std::move(root), std::move(name), stamp, is_young)};
}

}  // namespace fardel
