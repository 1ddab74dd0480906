// TablesFetch: heads, tables and signatures of one bundle on their way from servers into a store: all that is no
// content. One thread.
#pragma once

#include "fetch/damaged_copy.h"
#include "fetch/fetch_context.h"

#include <fardel/base/result.h>
#include <fardel/delivery/tables_file.h>
#include <fardel/delivery/unit_transfer.h>
#include <fardel/format/bundle.h>
#include <fardel/format/head.h>
#include <fardel/format/limits.h>
#include <fardel/store/incoming_bundle.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace fardel {

inline constexpr std::uint64_t kHeadsBytes = 2 * std::uint64_t{limits::kHeadBytes};

class TablesFetch {
public:
    // All that is passed by reference outlives the object.
    TablesFetch(const FetchContext& context, const BundleId& bundle, UnitTransfer& transfer, IncomingBundle& incoming,
                const DamagedCopy& copy);

    // Fetches what is missing, checks all pages of the tables and asks the policy. If a server sends tables that do not
    // fit, or signatures that the policy refuses, the next one is asked. `is_given`: some that nobody has verified were
    // written to the incoming bundle.
    Status fetch(bool is_given);
    // The same, and asks for compressed tables again, this server first.
    Status fetch_again_from(std::size_t server);
    // From now on, what does not fit together is discarded without the blocks.
    void keep_blocks() noexcept { has_blocks_ = true; }

    // After fetch().
    const LayoutHead& layout() const noexcept { return layout_; }
    const TableSections& sections() const noexcept { return sections_; }
    // Reads what is here at any moment.
    const std::shared_ptr<const Bundle>& bundle() const noexcept { return bundle_; }
    // Those that the policy wants and no bundle file has; the bundle above has them at its end.
    const std::vector<Envelope>& later_signatures() const noexcept { return later_signatures_; }

private:
    Status fetch_from(std::size_t first_round);
    Status attempt();
    // Discards what does not fit together, and keeps blocks. `had_compressed`: some of it came compressed.
    Status start_over(bool had_compressed);
    Status fetch_heads();
    // Does nothing if there is something of the tables already, from an earlier attempt.
    std::uint64_t missing_table_bytes() const;
    Status fetch_compressed_tables();
    Status open_bundle();

    const FetchContext& context_;
    const BundleId id_;
    UnitTransfer& transfer_;
    IncomingBundle& incoming_;
    const DamagedCopy& copy_;
    const std::vector<std::string> all_urls_;
    std::vector<std::string> urls_;       // where compressed tables may be; empty after they were asked for
    bool has_compressed_tables_ = false;  // bytes of such a file are in the incoming bundle
    bool policy_refuses_ = false;         // the signatures; a server's certificate is another matter
    bool copy_tables_ = false;            // those of the damaged copy are to be tried
    bool has_blocks_ = false;             // some blocks may be among what was received
    BundleHead head_;
    LayoutHead layout_;
    LayoutId layout_id_;
    TableSections sections_;
    std::shared_ptr<const Bundle> bundle_;
    std::vector<Envelope> later_signatures_;
};

}  // namespace fardel
