// ClassLimit: which classes of content an open bundle may bring (docs/trust-policy.md, "Classes of content").
//
// Names are judged once, all together; the bytes of an asset when it is first asked for. Any number of threads; what
// has passed is remembered in a bit per asset. An error of reading is not remembered.
#pragma once

#include <fardel/base/result.h>
#include <fardel/base/threads.h>
#include <fardel/format/content_class.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace fardel {

class Bundle;
enum class AssetIndex : std::uint32_t;
struct NameRecord;

class ClassLimit {
public:
    ClassLimit(ContentClass brings, std::uint32_t asset_count);

    // Errors: denied; and those of reading the tables.
    Status verify_names(const Bundle& bundle);
    // The names, and the first bytes of the asset. Errors: denied; and those of Bundle::read_at.
    Status verify_asset(const Bundle& bundle, AssetIndex index);

private:
    Status read_names(const Bundle& bundle);
    Status add_claim(const Bundle& bundle, const NameRecord& record, ContentClaim claimed);
    Error refuse(const Bundle& bundle, const std::string& subject, const ContentFinding& found) const;

    const ContentClass brings_;
    const std::uint32_t asset_count_;
    Mutex reading_;
    std::atomic<bool> names_read_{false};  // then the next two do not change any more
    std::optional<Error> names_refused_;
    std::vector<ContentClaim> claims_;  // per asset, of all its names
    std::unique_ptr<std::atomic<std::uint64_t>[]> passed_;
};

}  // namespace fardel
