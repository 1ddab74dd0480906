// TablesHints: asks a server once for the tables of all bundles that a fetch will need, which saves two round trips per
// bundle. A server that has no such answer, or a wrong one, costs that one request. One thread.
#pragma once

#include <fardel/base/result.h>
#include <fardel/delivery/tables_question.h>
#include <fardel/format/ids.h>
#include <fardel/http/server_rule.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace fardel {

class TablesHints {
public:
    // `trees`: complete URLs without '/' at the end; the first one is asked. `held`: bundles that need not be sent.
    TablesHints(const std::vector<std::string>& trees, const std::unordered_set<BundleId>& held,
                const ServerRule& servers)
        : trees_(trees), held_(held), servers_(servers) {}

    // Tells which bundles will be entered next. Asks for them, and for what they need, if that is likely to save time,
    // and at most once. Error: cancelled.
    Status expect(std::span<const BundleId> next, const std::stop_token& stop);
    // Returns what the server claims about the bundle, which is entered now.
    std::optional<AnsweredTables> enter(const BundleId& bundle);

    std::uint64_t received_bytes() const noexcept { return answer_.size(); }
    std::uint64_t requests() const noexcept { return asked_ ? 1 : 0; }

private:
    Status ask(const TablesQuestion& question, const std::stop_token& stop);

    const std::vector<std::string>& trees_;
    const std::unordered_set<BundleId>& held_;
    const ServerRule& servers_;
    std::unordered_set<BundleId> known_;  // all that were expected so far
    std::unordered_set<BundleId> ahead_;  // those that were not entered yet
    bool asked_ = false;
    std::vector<std::byte> answer_;
    std::unordered_map<BundleId, AnsweredTables> hints_;
};

}  // namespace fardel
