// ReleasedIds: what the newest release says about bundles, by their ids.
#pragma once

#include <fardel/format/channel.h>
#include <fardel/format/ids.h>

#include <optional>
#include <string>
#include <unordered_map>

namespace fardel {

class ReleasedIds {
public:
    ReleasedIds() = default;
    explicit ReleasedIds(const std::optional<ChannelRelease>& release) {
        if (!release)
            return;
        for (const ReleasedBundle& one : release->bundles)
            states_[one.bundle] = "";
        for (const auto& one : release->recalled_bundles)
            states_[one.id] = one.reason.empty() ? "recalled" : one.reason;
    }

    // Whether it is listed or recalled.
    bool contains(const BundleId& bundle) const { return states_.contains(bundle); }
    bool is_current(const BundleId& bundle) const {
        const auto found = states_.find(bundle);
        return found != states_.end() && found->second.empty();
    }
    // The reason; nullptr: it is not recalled.
    const std::string* find_recall(const BundleId& bundle) const {
        const auto found = states_.find(bundle);
        return found == states_.end() || found->second.empty() ? nullptr : &found->second;
    }

private:
    std::unordered_map<BundleId, std::string> states_;
};

}  // namespace fardel
