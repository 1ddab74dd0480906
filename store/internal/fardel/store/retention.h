// What a store keeps and what it removes: pins, rules, and what a collection did. docs/retention.md explains them.
//
// Plain values.
#pragma once

#include <fardel/base/unix_time.h>
#include <fardel/format/ids.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

// Keeps a bundle and everything that it needs. Several names may pin one bundle.
struct BundlePin {
    BundleId bundle;
    std::string name;               // see is_pin_name()
    std::optional<UnixTime> until;  // from then on the pin has no effect
    friend bool operator==(const BundlePin&, const BundlePin&) = default;
};

// 1 to 64 characters of a-z, 0-9, '.', '_' and '-'.
bool is_pin_name(std::string_view name) noexcept;

// Pins that lock files hold begin so, and end with digits of a hash of their path.
inline constexpr std::string_view kLockPinStart = "lock-";

struct RetentionRules {
    UnixTime now;
    // What is condemned is removed by a collection that runs so much later.
    std::int64_t grace_s = 24 * 3600;
    // A writer whose lock cannot be seen counts as alive for so long.
    std::int64_t lease_s = 24 * 3600;
    // What a fetch received is removed when nobody resumed it for so long.
    std::int64_t incoming_for_s = 7 * 24 * 3600;
    std::optional<std::int64_t> unused_for_s;       // bundles that nobody used for longer go
    std::optional<std::uint64_t> bytes_max;         // of all packs: the least recently used bundles go
    std::optional<std::uint64_t> source_bytes_max;  // of the files of all bundles that came from one source
    // The rules about unused bundles and sources hold for what came from this source only; empty: for all.
    std::string source;
    // Of a pack of which bundles need less, what they need is written to a new one; 0: never.
    unsigned repack_percent = 50;
    bool dry_run = false;  // only report
};

enum class RemovalReason : std::uint8_t {
    by_hand = 1,   // condemn_bundle()
    expired,       // the date in its metadata has passed
    unused,        // RetentionRules::unused_for_s
    source_quota,  // RetentionRules::source_bytes_max
    budget,        // RetentionRules::bytes_max
    unnamed,       // a pack that no record names
    unlicensed,    // the last licence token for it has ended
    released,      // release_bundles()
};
// Returns "removed by hand", "expired", …
std::string_view removal_reason_text(RemovalReason reason) noexcept;

struct CollectedBundle {
    BundleId bundle;
    RemovalReason reason = RemovalReason::by_hand;
    std::uint64_t file_bytes = 0;
    UnixTime condemned;    // when it was condemned
    bool removed = false;  // by this collection; otherwise a later one removes it
};

enum class KeptReason : std::uint8_t {
    pinned,  // by a person, or for a lock file (is_lock_pin)
    needed,  // by another bundle that stays
    held,    // by a program that runs, or ran until a short time ago
    none,    // it was added or fetched by itself, and no rule of this collection is about it
};

struct KeptBundle {
    BundleId bundle;
    std::uint64_t file_bytes = 0;
    KeptReason reason = KeptReason::none;
    std::vector<std::string> pins;  // their names
};

struct CollectionReport {
    std::vector<CollectedBundle> bundles;  // in the order of their removal
    std::uint64_t condemned_packs = 0;     // that a later collection removes
    std::uint64_t condemned_bytes = 0;
    std::uint64_t removed_packs = 0;
    std::uint64_t removed_bytes = 0;
    std::uint64_t removed_incoming = 0;  // bundles of which a fetch received something
    std::uint64_t removed_incoming_bytes = 0;
    std::uint64_t repacked_packs = 0;        // of which what is needed was written again
    std::uint64_t repacked_bytes = 0;        // of these
    std::uint64_t repack_written_bytes = 0;  // of the packs that replace them
    std::uint64_t packs = 0;                 // that remain
    std::uint64_t pack_bytes = 0;
    std::vector<KeptBundle> kept;    // by id: what neither was removed nor is condemned
    std::vector<std::string> notes;  // what was kept although no rule says so, and why
};

// What a store knows about one bundle.
struct RetainedBundle {
    BundleId bundle;
    std::uint64_t file_bytes = 0;
    std::uint64_t own_bytes = 0;  // of packs that no other bundle needs
    UnixTime used;                // when it was added or last opened
    std::vector<std::string> pins;
    std::string source;                 // the server that it was fetched from; empty if unknown
    std::optional<UnixTime> condemned;  // it is going to be removed
};

struct StoreUsage {
    std::uint64_t bundles = 0;
    std::uint64_t file_bytes = 0;  // of all bundle files, if each lay on disk on its own
    std::uint64_t packs = 0;
    std::uint64_t pack_bytes = 0;
    std::uint64_t unnamed_packs = 0;  // that no bundle needs
    std::uint64_t unnamed_bytes = 0;
    std::uint64_t references = 0;        // packs whose bytes are in files outside of the store; not in `packs`
    std::uint64_t referred_bytes = 0;    // of these files
    std::uint64_t stale_references = 0;  // of `references`: the file is gone or has changed
    std::uint64_t condemned_bundles = 0;
    std::uint64_t pins = 0;
    struct Source {
        std::string source;
        std::uint64_t bundles = 0;
        std::uint64_t file_bytes = 0;
    };
    std::vector<Source> sources;  // by their text
};

}  // namespace fardel
