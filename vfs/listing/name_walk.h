// NameWalk: the children of one folder among a bundle's names, in order; each subfolder is skipped in one search.
//
// A child's key is its name, with a '/' at the end for a folder: so keys sort as the names in the table do. Nothing has
// proved that the table is sorted; a walk that does not move forward ends as malformed.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/bundle.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace fardel {

class NameWalk {
public:
    // `prefix`: empty, or a folder with '/' at its end. The bundle outlives the walk.
    static Result<NameWalk> open(const Bundle& bundle, std::string prefix);

    bool at_end() const noexcept { return at_end_; }
    std::string_view key() const noexcept { return key_; }
    bool at_folder() const noexcept { return key_.ends_with('/'); }
    // The record of the file, or the first record in the folder.
    NameIndex index() const noexcept { return static_cast<NameIndex>(index_); }
    const std::string& prefix() const noexcept { return prefix_; }

    // Moves to the next child.
    Status step();
    // Calls `visit(index, whole name)` for each name at any depth below the current folder, until it returns true or an
    // error. The walk does not move.
    template <class Visit>
    Result<bool> any_below(Visit&& visit) const;

private:
    NameWalk(const Bundle& bundle, std::string prefix) : bundle_(&bundle), prefix_(std::move(prefix)) {}
    Status settle();

    const Bundle* bundle_;
    std::string prefix_;
    std::string key_;
    std::uint32_t index_ = 0;
    bool at_end_ = false;
};

template <class Visit>
Result<bool> NameWalk::any_below(Visit&& visit) const {
    const std::string folder = prefix_ + key_;
    for (std::uint32_t i = index_; i < bundle_->name_count(); ++i) {
        FARDEL_TRY_ASSIGN(const std::string_view text, bundle_->name_text(static_cast<NameIndex>(i)));
        if (!text.starts_with(folder))
            break;
        FARDEL_TRY_ASSIGN(const bool found, visit(static_cast<NameIndex>(i), text));
        if (found)
            return true;
    }
    return false;
}

}  // namespace fardel
