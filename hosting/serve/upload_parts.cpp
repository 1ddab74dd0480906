#include "serve/upload_parts.h"

#include <fardel/base/clock.h>
#include <fardel/base/file.h>
#include <fardel/base/folder.h>
#include <fardel/format/hash.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <system_error>
#include <utility>
#include <vector>

namespace fardel {
namespace {

constexpr std::string_view kPartsFolder = "/.fardel-uploads";
constexpr std::string_view kPartEnding = ".part";
constexpr std::size_t kOwnerDigits = 16;
constexpr std::int64_t kAgeMinNs = 1'000'000'000;

// Calls `use` with each part that no upload is writing to, opened and locked.
template <class Use>
void for_each_idle(const std::string& folder, const Use& use) {
    std::error_code failure;
    for (std::filesystem::directory_iterator entry(folder, failure), end; !failure && entry != end;
         entry.increment(failure)) {
        const std::string path = entry->path().string();
        if (!path.ends_with(kPartEnding))
            continue;
        const auto file = open_regular_file(path, path, {.links = Links::refused});
        const auto locked = file ? lock_file(file->descriptor, path) : Result<bool>(false);
        if (locked && *locked)
            use(path, file->status);
    }
}

std::size_t count_parts(const std::string& folder) {
    std::error_code failure;
    const std::filesystem::directory_iterator entries(folder, failure);
    return failure ? 0 : static_cast<std::size_t>(std::distance(begin(entries), end(entries)));
}

// See UploadParts::remove_idle().
void remove_least(const std::string& folder, std::uint64_t bytes) {
    struct Idle {
        double rate = 0;  // bytes per nanosecond of its age
        std::uint64_t bytes = 0;
        std::string path;
    };
    std::vector<Idle> parts;
    const std::int64_t now_ns = wall_clock_ns();
    for_each_idle(folder, [&](const std::string& path, const FileStatus& status) {
        const auto age_ns = static_cast<double>(std::max<std::int64_t>(now_ns - status.modified_ns, kAgeMinNs));
        parts.push_back({static_cast<double>(status.size_bytes) / age_ns, status.size_bytes, path});
    });
    std::ranges::sort(parts, {}, &Idle::rate);
    std::uint64_t removed = 0;
    for (const Idle& part : parts) {
        if (removed >= bytes)
            return;
        static_cast<void>(remove_file(part.path, part.path));
        removed += std::max<std::uint64_t>(part.bytes, 1);
    }
}

}  // namespace

UploadParts::UploadParts(const std::string& tree) : folder_(tree + std::string(kPartsFolder)) {}

std::string UploadParts::path_of(const BundleId& bundle, const std::string& owner) const {
    const std::string whose = blake3(std::as_bytes(std::span(owner))).hex().substr(0, kOwnerDigits);
    return folder_ + "/" + bundle.hex() + "-" + whose + std::string(kPartEnding);
}

void UploadParts::Part::remove() { static_cast<void>(remove_file(path_, path_)); }

Result<UploadParts::Part> UploadParts::open(const BundleId& bundle, const std::string& owner) {
    const std::string path = path_of(bundle, owner);
    const std::scoped_lock lock(mutex_);
    FARDEL_TRY(create_folder(folder_, folder_, 0700));
    auto file = open_file(path, path, {.access = FileAccess::read_write, .links = Links::refused});
    if (!file && file.error().code() == ErrorCode::missing) {
        if (count_parts(folder_) >= kUploadPartsMax)
            remove_least(folder_, 1);
        if (count_parts(folder_) >= kUploadPartsMax)
            return Error(ErrorCode::limit, "too many uploads are under way");
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
    const std::string path = path_of(bundle, owner);
    const auto status = file_status(path, path, Links::refused);
    return status && status->is_file() ? status->size_bytes : 0;
}

std::uint64_t UploadParts::idle_bytes() {
    const std::scoped_lock lock(mutex_);
    std::uint64_t bytes = 0;
    for_each_idle(folder_, [&](const std::string&, const FileStatus& status) { bytes += status.size_bytes; });
    return bytes;
}

void UploadParts::remove_idle(std::uint64_t bytes) {
    const std::scoped_lock lock(mutex_);
    remove_least(folder_, bytes);
}

void UploadParts::remove_old(std::int64_t now_ns) {
    const std::scoped_lock lock(mutex_);
    constexpr std::int64_t kKeptNs = std::chrono::duration_cast<std::chrono::nanoseconds>(kUploadPartKept).count();
    for_each_idle(folder_, [&](const std::string& path, const FileStatus& status) {
        if (now_ns - status.modified_ns > kKeptNs)
            static_cast<void>(remove_file(path, path));
    });
}

}  // namespace fardel
