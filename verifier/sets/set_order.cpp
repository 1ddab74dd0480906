#include "set_order.h"

#include <fardel/format/manifest.h>
#include <fardel/format/requirement.h>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace fardel {

SetOrder::SetOrder(std::span<const SetMember> members) {
    for (const SetMember& member : members) {
        const auto title = member.bundle->find_bundle_text("name");
        ids_.push_back(member.bundle->id());
        titles_.push_back(title && *title ? **title : std::string_view());
    }
    std::vector<std::vector<std::size_t>> direct;
    for (const SetMember& member : members)
        direct.push_back(needed_by(*member.bundle));
    for (std::size_t i = 0; i < members.size(); ++i) {
        std::vector<bool>& needed = needs_.emplace_back(members.size());
        // A walk with a stack: members may need each other in a circle.
        std::vector<std::size_t> next = direct[i];
        while (!next.empty()) {
            const std::size_t one = next.back();
            next.pop_back();
            if (needed[one])
                continue;
            needed[one] = true;
            next.insert(next.end(), direct[one].begin(), direct[one].end());
        }
    }
}

std::vector<std::size_t> SetOrder::needed_by(const Bundle& bundle) const {
    std::vector<bool> is_needed(ids_.size());
    std::vector<std::pair<BundleId, std::size_t>> by_id;
    for (std::size_t i = 0; i < ids_.size(); ++i)
        by_id.emplace_back(ids_[i], i);
    std::ranges::sort(by_id);
    for (std::uint32_t i = 0; i < bundle.table_count(TableKind::dependencies); ++i) {
        const auto dependency = bundle.dependency(i);
        if (!dependency)
            continue;
        auto at = std::ranges::lower_bound(by_id, dependency->bundle, {}, &std::pair<BundleId, std::size_t>::first);
        for (; at != by_id.end() && at->first == dependency->bundle; ++at)
            is_needed[at->second] = true;
    }
    if (const auto requirements = requirements_of(bundle))
        for (const Requirement& requirement : *requirements)
            for (std::size_t i = 0; i < titles_.size(); ++i)
                if (titles_[i] == requirement.name)
                    is_needed[i] = true;
    std::vector<std::size_t> needed;
    for (std::size_t i = 0; i < is_needed.size(); ++i)
        if (is_needed[i])
            needed.push_back(i);
    return needed;
}

}  // namespace fardel
