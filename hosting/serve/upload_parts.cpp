#include "serve/upload_parts.h"

#include <fardel/base/file.h>
#include <fardel/base/folder.h>
#include <fardel/format/hash.h>

#include <utility>

namespace fardel {
namespace {

constexpr std::string_view kPartsFolder = ".fardel-uploads";
constexpr std::string_view kPartEnding = ".part";
constexpr std::size_t kOwnerDigits = 16;

// Calls `use` with each part that no upload is writing to, opened and locked.
template <class Use>
std::size_t for_each_idle(const FilePath& folder, const Use& use) {
    std::size_t parts = 0;
    const auto names = list_names_at(folder);
    if (!names)
        return parts;
    for (const std::string& name : *names) {
        if (!name.ends_with(kPartEnding))
            continue;
        const FilePath path = folder / name;
        ++parts;
        const auto file = open_regular_file(path, path, {.links = Links::refused});
        const auto locked = file ? lock_file(file->descriptor, path) : Result<bool>(false);
        if (locked && *locked)
            use(path, file->status);
    }
    return parts;
}

}  // namespace

UploadParts::UploadParts(const std::string& tree) : folder_(FilePath::of_root(tree) / kPartsFolder) {}

FilePath UploadParts::path_of(const BundleId& bundle, const std::string& owner) const {
    const std::string whose = blake3(std::as_bytes(std::span(owner))).hex().substr(0, kOwnerDigits);
    return folder_ / (bundle.hex() + "-" + whose + std::string(kPartEnding));
}

void UploadParts::Part::remove() { static_cast<void>(remove_file(path_, path_)); }

Result<UploadParts::Part> UploadParts::open(const BundleId& bundle, const std::string& owner) const {
    const FilePath path = path_of(bundle, owner);
    FARDEL_TRY(create_folder(folder_, folder_, 0700));
    auto file = open_file(path, path, {.access = FileAccess::read_write, .links = Links::refused});
    if (!file && file.error().code() == ErrorCode::missing) {
        if (for_each_idle(folder_, [](const FilePath&, const FileStatus&) {}) >= kUploadPartsMax)
            return Error(ErrorCode::limit, "too many uploads have broken off");
        file = create_file(path, path, 0600);
        if (!file && file.error().code() == ErrorCode::conflict)
            return Error(ErrorCode::busy, "another upload of the bundle has begun");
    }
    if (!file)
        return std::move(file).error();
    FARDEL_TRY_ASSIGN(const bool locked, lock_file(*file, path));
    FARDEL_TRY_ASSIGN(const FileStatus status, file_status(*file, path));
    // Without a name, it was finished or removed between opening and locking it.
    if (!locked || status.links == 0)
        return Error(ErrorCode::busy, "another upload of the bundle is under way");
    return Part(*std::move(file), path);
}

std::uint64_t UploadParts::size_bytes(const BundleId& bundle, const std::string& owner) const {
    const FilePath path = path_of(bundle, owner);
    const auto status = file_status(path, path, Links::refused);
    return status && status->is_file() ? status->size_bytes : 0;
}

std::uint64_t UploadParts::idle_bytes() const {
    std::uint64_t bytes = 0;
    for_each_idle(folder_, [&](const FilePath&, const FileStatus& status) { bytes += status.size_bytes; });
    return bytes;
}

void UploadParts::remove_old(std::int64_t now_ns) const {
    constexpr std::int64_t kKeptNs = std::chrono::duration_cast<std::chrono::nanoseconds>(kUploadPartKept).count();
    for_each_idle(folder_, [&](const FilePath& path, const FileStatus& status) {
        if (now_ns - status.modified_ns > kKeptNs)
            static_cast<void>(remove_file(path, path));
    });
}

}  // namespace fardel
