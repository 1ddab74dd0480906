// ChannelUpdate: the rules by which a client accepts newer texts of a channel. docs/channels.md, "Following a channel".
//
// A pure decision: texts and one time go in, what is accepted comes out; whoever uses it fetches and keeps. Texts are
// untrusted, and so is the order in which they come; what was accepted before is trusted. A refused text changes
// nothing.
#pragma once

#include <fardel/format/channel.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fardel {

// What a client has accepted, as files that it keeps. Empty: none yet.
struct ChannelFiles {
    std::string root;
    std::string release;
    std::string head;

    friend bool operator==(const ChannelFiles&, const ChannelFiles&) = default;
};

inline constexpr std::uint64_t kChannelRootsPerUpdateMax = 256;
// How far a version or epoch may be above the accepted one, so that a stolen key cannot use up the numbers of those who
// follow.
inline constexpr std::uint64_t kChannelStepMax = 1ull << 32;

class ChannelUpdate {
public:
    // Reads what was accepted before: at least a root. Only its form is verified, and that the three belong together.
    // Errors: malformed, limit, unsupported, conflict (they do not belong together).
    static Result<ChannelUpdate> begin(ChannelFiles accepted, std::optional<UnixTime> now);

    // The next root. What the former keys of a role signed is forgotten with those keys. Errors: malformed, limit (more
    // than kChannelRootsPerUpdateMax), unsupported, untrusted, rollback (not the next version).
    Status add_root(std::string_view file);

    // The head, when there is no further root. Errors: malformed, limit (also a step of more than kChannelStepMax),
    // unsupported, untrusted, rollback, expired (it, or the last root), conflict (it names a root that was not added).
    Status add_head(std::string_view file);

    // The release that the head names, if it is not the accepted one. Valid after add_head.
    struct WantedRelease {
        std::uint64_t version;
        std::uint64_t file_bytes;
        Hash hash;
    };
    std::optional<WantedRelease> wanted_release() const;

    // Whether a head may name this release: all rules but those about the head. Errors: malformed, limit, unsupported,
    // untrusted, rollback.
    Status verify_release(std::string_view file) const;

    // Accepts that release, and the head with it. Errors: conflict (not the bytes that the head names), malformed,
    // limit, unsupported, untrusted, rollback.
    Status add_release(std::string_view file);

    // What is accepted by now: to be kept before anything newer is used. A head counts only when its release does.
    const ChannelFiles& files() const noexcept { return files_; }
    const ChannelRoot& root() const noexcept { return root_; }
    const std::optional<ChannelRelease>& release() const noexcept { return release_; }
    const std::optional<ChannelHead>& head() const noexcept { return head_; }

    // The time of this update: not before the accepted head was made.
    std::optional<UnixTime> time() const noexcept;

private:
    ChannelUpdate(ChannelRoot root, ChannelFiles files, std::optional<UnixTime> now)
        : root_(std::move(root)), files_(std::move(files)), now_(now) {}

    Status verify_newer(const ChannelHead& head, std::string_view body) const;
    Status verify_newer(const ChannelRelease& release) const;
    Result<ChannelRelease> read_release(std::string_view file) const;
    void accept_head();

    ChannelRoot root_;
    std::optional<ChannelRelease> release_;
    std::optional<ChannelHead> head_;
    std::string head_body_;
    ChannelFiles files_;
    std::optional<UnixTime> now_;
    std::uint64_t roots_added_ = 0;

    // A head that waits for its release.
    std::optional<ChannelHead> next_head_;
    std::string next_head_file_;
    std::string next_head_body_;
};

// Returns `own` with the root's revocations and the release's recalls added. Errors: those of TrustPolicy::make.
Result<TrustPolicy> with_recalls(const TrustPolicy& own, const ChannelRoot& root,
                                 const std::optional<ChannelRelease>& release);

// Returns the root's own rules, with the recalls; nothing if it has no `allow` rule.
Result<std::optional<TrustPolicy>> channel_policy(const ChannelRoot& root,
                                                  const std::optional<ChannelRelease>& release);

// Returns what a follower of the channel judges bundles by: their own policy and the channel's, both with the recalls.
// `own`: nullptr: the follower has no demands of their own; what the channel has no rule about is then accepted, but
// tainted. Errors: those of TrustPolicy::make.
Result<TrustPolicy> policy_for_follower(const TrustPolicy* own, const ChannelRoot& root,
                                        const std::optional<ChannelRelease>& release);

}  // namespace fardel
