#include <fardel/format/channel_update.h>

#include "channel_lines.h"

#include <fardel/format/hash.h>
#include <fardel/format/printable.h>

#include <algorithm>
#include <map>

namespace fardel {
namespace {

Error rollback(std::string message) { return Error(ErrorCode::rollback, std::move(message)); }

Status verify_channel(ChannelText kind, const std::string& found, const std::string& expected) {
    if (found != expected)
        return Error(ErrorCode::untrusted, "channel " + std::string(channel_text_name(kind)) + ": it is for channel " +
                                               in_quotes(found) + ", not for " + in_quotes(expected));
    return ok();
}

std::string shown_difference(std::string_view what, std::uint64_t found, std::uint64_t accepted) {
    return "the server's " + std::string(what) + " is " + std::to_string(found) + ", and " + std::to_string(accepted) +
           " was accepted before";
}

// A number may stay, and may rise by a step of an owner's.
Status verify_risen(std::string_view what, std::uint64_t found, std::uint64_t accepted) {
    if (found < accepted)
        return rollback(shown_difference(what, found, accepted));
    // A thief with an online key could sign the highest number there is, and nothing later would be accepted until a
    // rotation (docs/decisions/0103-heads-vouch-for-no-content.md).
    if (found - accepted > kChannelStepMax)
        return Error(ErrorCode::limit, shown_difference(what, found, accepted) +
                                           ": its owner skips no numbers; a key may have been stolen");
    return ok();
}

// Every recall of the accepted release must be in the new one.
template <class Id>
bool keeps_recalls(const std::vector<Revocation<Id>>& accepted, const std::vector<Revocation<Id>>& found) {
    return std::ranges::includes(found, accepted, {}, &Revocation<Id>::id, &Revocation<Id>::id);
}

std::map<std::string_view, std::uint64_t> epochs_of(const ChannelRelease& release) {
    std::map<std::string_view, std::uint64_t> epochs;
    for (const ReleasedBundle& released : release.bundles) {
        auto& epoch = epochs[released.name];
        epoch = std::max(epoch, released.epoch);
    }
    return epochs;
}

Hash hash_of(std::string_view file) { return blake3(std::as_bytes(std::span(file))); }

struct ParsedFiles {
    ChannelRoot root;
    std::optional<ChannelRelease> release;
    std::optional<ChannelHead> head;
    std::string head_body;
};

Result<ParsedFiles> parse_files(const ChannelFiles& files) {
    FARDEL_TRY_ASSIGN(const SignedText root_text, parse_signed_text(ChannelText::root, files.root));
    ParsedFiles parsed;
    FARDEL_TRY_ASSIGN(parsed.root, parse_channel_root(root_text.body));
    bool fit = true;
    if (!files.release.empty()) {
        FARDEL_TRY_ASSIGN(const SignedText text, parse_signed_text(ChannelText::release, files.release));
        FARDEL_TRY_ASSIGN(parsed.release, parse_channel_release(text.body));
        fit = parsed.release->channel == parsed.root.channel;
    }
    if (!files.head.empty()) {
        FARDEL_TRY_ASSIGN(const SignedText text, parse_signed_text(ChannelText::head, files.head));
        FARDEL_TRY_ASSIGN(parsed.head, parse_channel_head(text.body));
        parsed.head_body = text.body;
        fit = fit && parsed.head->channel == parsed.root.channel && hash_of(files.release) == parsed.head->release_hash;
    }
    if (!fit)
        return Error(ErrorCode::conflict, "the texts of a channel that are kept do not belong together");
    return parsed;
}

}  // namespace

Result<ChannelUpdate> ChannelUpdate::begin(ChannelFiles accepted, std::optional<UnixTime> now) {
    FARDEL_TRY_ASSIGN(ParsedFiles parsed, parse_files(accepted));
    ChannelUpdate update(std::move(parsed.root), std::move(accepted), now);
    update.release_ = std::move(parsed.release);
    update.head_ = std::move(parsed.head);
    update.head_body_ = std::move(parsed.head_body);
    return update;
}

std::optional<UnixTime> ChannelUpdate::time() const noexcept {
    return head_ && now_ ? std::max(*now_, head_->created) : now_;
}

Status ChannelUpdate::add_root(std::string_view file) {
    // A server could otherwise keep a client busy with an endless chain of roots.
    if (roots_added_ == kChannelRootsPerUpdateMax)
        return Error(ErrorCode::limit, "more than " + std::to_string(kChannelRootsPerUpdateMax) +
                                           " new roots in one update of channel " + in_quotes(root_.channel));
    FARDEL_TRY_ASSIGN(const SignedText text, parse_signed_text(ChannelText::root, file));
    FARDEL_TRY_ASSIGN(ChannelRoot next, parse_channel_root(text.body));
    FARDEL_TRY(verify_channel(ChannelText::root, next.channel, root_.channel));
    if (next.id != root_.id)
        return Error(ErrorCode::untrusted,
                     "channel root: it is for another channel of the name " + in_quotes(root_.channel));
    // A new root needs a threshold of the old keys, or a stranger could take over; and of the new ones, or an owner
    // could lock himself out.
    FARDEL_TRY(verify_signers(ChannelText::root, text, root_, root_.root));
    FARDEL_TRY(verify_signers(ChannelText::root, text, next, next.root));
    if (next.version != root_.version + 1)
        return rollback("root " + std::to_string(next.version) + " cannot follow root " +
                        std::to_string(root_.version));

    const bool has_other_release_keys = next.keys_of(next.release) != root_.keys_of(root_.release);
    // What the old keys have signed no longer counts, also their numbers: an owner rotates after a thief used them up.
    if (has_other_release_keys) {
        release_.reset();
        files_.release.clear();
    }
    if (has_other_release_keys || next.keys_of(next.head) != root_.keys_of(root_.head)) {
        head_.reset();
        files_.head.clear();
    }
    next_head_.reset();
    root_ = std::move(next);
    files_.root = file;
    ++roots_added_;
    return ok();
}

Status ChannelUpdate::verify_newer(const ChannelHead& head, std::string_view body) const {
    if (head.root_version > root_.version)
        return Error(ErrorCode::conflict, "channel " + in_quotes(root_.channel) + ": the head needs root " +
                                              std::to_string(head.root_version) + ", and the server gives none after " +
                                              std::to_string(root_.version));
    if (head_) {
        FARDEL_TRY(verify_risen("head", head.version, head_->version));
        // Two contents under one number: the owner's key was used by somebody else, or the owner's tools are broken.
        if (head.version == head_->version && body != head_body_)
            return rollback("head " + std::to_string(head.version) + " has been signed with two contents");
    }
    if (release_) {
        FARDEL_TRY(verify_risen("release", head.release_version, release_->version));
        if (head.release_version == release_->version && head.release_hash != hash_of(files_.release))
            return rollback("release " + std::to_string(head.release_version) + " has been signed with two contents");
    }
    return ok();
}

Status ChannelUpdate::add_head(std::string_view file) {
    FARDEL_TRY_ASSIGN(SignedText text, parse_signed_text(ChannelText::head, file));
    FARDEL_TRY(verify_signers(ChannelText::head, text, root_, root_.head));
    FARDEL_TRY_ASSIGN(const ChannelHead head, parse_channel_head(text.body));
    FARDEL_TRY(verify_channel(ChannelText::head, head.channel, root_.channel));
    FARDEL_TRY(verify_newer(head, text.body));
    // Expiry is judged last, so that a server that only replays old texts is called what it is.
    if (has_passed(root_.expires, time()))
        return Error(ErrorCode::expired, "channel " + in_quotes(root_.channel) + ": root " +
                                             std::to_string(root_.version) + " has expired; its owner must renew it");
    if (has_passed(head.expires, time()))
        return Error(ErrorCode::expired, "channel " + in_quotes(root_.channel) + ": the head " +
                                             std::to_string(head.version) +
                                             " has expired: nothing newer is known, and "
                                             "what is installed stays as it is");
    next_head_ = head;
    next_head_file_ = file;
    next_head_body_ = std::move(text.body);
    if (!wanted_release())
        accept_head();
    return ok();
}

std::optional<ChannelUpdate::WantedRelease> ChannelUpdate::wanted_release() const {
    if (!next_head_ || (release_ && next_head_->release_version == release_->version))
        return std::nullopt;
    return WantedRelease{next_head_->release_version, next_head_->release_bytes, next_head_->release_hash};
}

void ChannelUpdate::accept_head() {
    head_ = std::exchange(next_head_, std::nullopt);
    files_.head = std::move(next_head_file_);
    head_body_ = std::move(next_head_body_);
}

Status ChannelUpdate::verify_newer(const ChannelRelease& release) const {
    if (!release_)
        return ok();
    FARDEL_TRY(verify_risen("epoch", release.epoch, release_->epoch));
    // A stolen release key must not bring back what was recalled.
    if (release.epoch == release_->epoch && !(keeps_recalls(release_->recalled_bundles, release.recalled_bundles) &&
                                              keeps_recalls(release_->recalled_keys, release.recalled_keys)))
        return rollback("release " + std::to_string(release.version) + " lacks a recall of release " +
                        std::to_string(release_->version) + "; only a higher epoch may take one back");
    const auto before = epochs_of(*release_);
    for (const auto& [name, epoch] : epochs_of(release))
        if (const auto known = before.find(name); known != before.end() && epoch < known->second)
            return rollback("the epoch of bundle " + in_quotes(name) + " falls from " + std::to_string(known->second) +
                            " to " + std::to_string(epoch));
    return ok();
}

// Signed for this channel, and not behind the accepted one.
Result<ChannelRelease> ChannelUpdate::read_release(std::string_view file) const {
    FARDEL_TRY_ASSIGN(const SignedText text, parse_signed_text(ChannelText::release, file));
    FARDEL_TRY(verify_signers(ChannelText::release, text, root_, root_.release));
    FARDEL_TRY_ASSIGN(ChannelRelease release, parse_channel_release(text.body));
    FARDEL_TRY(verify_channel(ChannelText::release, release.channel, root_.channel));
    FARDEL_TRY(verify_newer(release));
    return release;
}

Status ChannelUpdate::verify_release(std::string_view file) const {
    FARDEL_TRY_ASSIGN(const ChannelRelease release, read_release(file));
    if (release_ && release.version <= release_->version && file != files_.release)
        return rollback("release " + std::to_string(release_->version) +
                        " is there; the next one needs a higher number "
                        "than " +
                        std::to_string(release.version));
    return ok();
}

Status ChannelUpdate::add_release(std::string_view file) {
    const auto wanted = wanted_release();
    // By hash, and before parsing: the head names one file, so no mixture of head and release can be made.
    if (!wanted || file.size() != wanted->file_bytes || hash_of(file) != wanted->hash)
        return Error(ErrorCode::conflict, "channel " + in_quotes(root_.channel) +
                                              ": this is not the release that the head names; try again later");
    FARDEL_TRY_ASSIGN(ChannelRelease release, read_release(file));
    if (release.version != wanted->version)
        return Error(ErrorCode::conflict, "channel " + in_quotes(root_.channel) + ": the head calls release " +
                                              std::to_string(release.version) + " number " +
                                              std::to_string(wanted->version));
    release_ = std::move(release);
    files_.release = file;
    accept_head();
    return ok();
}

}  // namespace fardel
