#include "name_walk.h"

#include <fardel/format/name.h>

namespace fardel {

Result<NameWalk> NameWalk::open(const Bundle& bundle, std::string prefix) {
    NameWalk walk(bundle, std::move(prefix));
    FARDEL_TRY_ASSIGN(const NameIndex first, bundle.lower_bound_name(walk.prefix_));
    walk.index_ = static_cast<std::uint32_t>(first);
    FARDEL_TRY(walk.settle());
    return walk;
}

Status NameWalk::step() {
    const std::uint32_t before = index_;
    const std::string key_before = key_;
    if (at_folder()) {
        // The first name after "maps/…": '0' is the character after '/'.
        std::string after = prefix_ + key_;
        after.back() = '/' + 1;
        FARDEL_TRY_ASSIGN(const NameIndex next, bundle_->lower_bound_name(after));
        index_ = static_cast<std::uint32_t>(next);
    } else {
        ++index_;
    }
    FARDEL_TRY(settle());
    if (index_ <= before || (!at_end_ && key_ <= key_before)) {
        at_end_ = true;
        return Error(ErrorCode::malformed,
                     bundle_->label() + ": names are not sorted at record " + std::to_string(before));
    }
    return ok();
}

Status NameWalk::settle() {
    at_end_ = true;
    if (index_ >= bundle_->name_count())
        return ok();
    FARDEL_TRY_ASSIGN(const std::string_view text, bundle_->name_text(index()));
    if (!text.starts_with(prefix_))
        return ok();
    if (auto good = verify_name(text); !good)
        return std::move(good).error().with_context(bundle_->label() + ": name " + std::to_string(index_));
    const std::string_view child = text.substr(prefix_.size());
    key_ = child.substr(0, child.find('/') == std::string_view::npos ? child.size() : child.find('/') + 1);
    at_end_ = false;
    return ok();
}

}  // namespace fardel
