#include "serve/upload_room.h"

#include <fardel/base/folder.h>

#include "registry/page_text.h"

#include <fardel/base/free_space.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

namespace fardel {
namespace {

constexpr std::chrono::seconds kTreeMeasuredFor{5};

// Of the bundle files in the tree; those that disappear meanwhile do not count.
std::uint64_t tree_bytes(const std::string& tree) {
    std::uint64_t bytes = 0;
    static_cast<void>(visit_folder(tree + "/bundles", [&](const std::string&, const FileStatus& status) {
        bytes += status.is_file() ? status.size_bytes : 0;
        return Result<bool>(false);
    }));
    return bytes;
}

std::uint64_t less(std::uint64_t bytes, std::uint64_t taken) { return bytes - std::min(bytes, taken); }

}  // namespace

UploadRoom::UploadRoom(std::string tree, std::uint64_t tree_bytes_max, UploadParts& parts)
    : tree_(std::move(tree)), tree_bytes_max_(tree_bytes_max), parts_(parts) {}

bool UploadRoom::Share::add(std::uint64_t bytes) {
    const std::scoped_lock lock(room_.mutex_);
    if (has_left_)
        return false;
    if (bytes > room_.left_bytes_)
        room_.measure();
    if (bytes > room_.left_bytes_) {
        room_.parts_.remove_idle(bytes - room_.left_bytes_);
        room_.measure();
    }
    if (bytes > room_.left_bytes_)
        return false;
    room_.left_bytes_ -= bytes;
    room_.taken_bytes_ += bytes;
    bytes_ += bytes;
    return true;
}

// What it has on the disk becomes a part that broke off, or is removed: the next measurement sees which.
void UploadRoom::Share::leave() {
    const std::scoped_lock lock(room_.mutex_);
    has_left_ = true;
    room_.taken_bytes_ -= std::exchange(bytes_, 0);
}

std::optional<std::string> UploadRoom::describe_lack(std::uint64_t file_bytes) {
    const std::scoped_lock lock(mutex_);
    const std::uint64_t room = room_bytes();
    if (file_bytes <= room)
        return std::nullopt;
    // What the disk has is the operator's business; a quota is what people ask the operator about.
    if (tree_bytes_ && room == less(tree_bytes_max_, *tree_bytes_))
        return "the quota of this server (--upload-quota) is full: " + format_bytes(*tree_bytes_) + " of " +
               format_bytes(tree_bytes_max_) + " are used, and the file has " + format_bytes(file_bytes);
    return "the disk of this server has no room for the file, which has " + format_bytes(file_bytes);
}

void UploadRoom::note_publication() {
    const std::scoped_lock lock(mutex_);
    tree_bytes_.reset();
}

std::uint64_t UploadRoom::room_bytes() {
    std::uint64_t bytes = std::numeric_limits<std::uint64_t>::max();
    if (const auto free_bytes = find_free_bytes(tree_))
        bytes = (*free_bytes + parts_.idle_bytes() + taken_bytes_) / 2;
    if (tree_bytes_max_ == 0)
        return bytes;
    // A tree has very many files, and everybody may ask for an upload: they are not counted for each.
    const SteadyTime now = SteadyClock::now();
    if (!tree_bytes_ || now - tree_measured_ > kTreeMeasuredFor) {
        tree_bytes_ = tree_bytes(tree_);
        tree_measured_ = now;
    }
    return std::min(bytes, less(tree_bytes_max_, *tree_bytes_));
}

void UploadRoom::measure() { left_bytes_ = less(room_bytes(), parts_.idle_bytes() + taken_bytes_); }

}  // namespace fardel
