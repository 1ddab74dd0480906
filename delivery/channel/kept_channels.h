// KeptChannels: what a user has accepted of channels, in two folders.
//
// Of the two copies, the newer one counts, so a folder that was deleted or restored from an old copy does not make a
// client accept what is older (tests/ATTACKS.md, A77). Each copy is replaced in one step, and never by an older one,
// whichever programs follow the channel at once.
#pragma once

#include <fardel/base/file_path.h>
#include <fardel/base/result.h>
#include <fardel/format/channel_update.h>

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

struct KeptChannel {
    ChannelRoot root;
    ChannelFiles files;
};

class KeptChannels {
public:
    // Folders that need not exist; both are needed to notice that one was rolled back.
    KeptChannels(const std::string& first, const std::string& second);

    // Returns nothing if the channel is not followed. A damaged copy is ignored if the other one is whole. Errors:
    // corrupt (no whole copy is left), denied, io.
    Result<std::optional<KeptChannel>> find(const Hash& channel_id) const;
    // All with this name, or all; by id. Errors: those of find.
    Result<std::vector<KeptChannel>> list(std::string_view channel = {}) const;
    // Writes both copies, durably, unless something newer is kept; of a first folder that this user may only read, only
    // the second one. What is there already needs no writing. Errors: busy (another program has written for
    // seconds), denied, no_space, io.
    Status write(const Hash& channel_id, const ChannelFiles& files) const;
    // Keeps a text that contradicts another one of the same version: evidence that a key signed two truths. The first
    // 16 of a channel are kept.
    Status write_evidence(const Hash& channel_id, std::string_view text) const;

private:
    Status write_below(std::span<const FilePath> folders, const Hash& channel_id, const ChannelFiles& files) const;

    std::array<FilePath, 2> folders_;
};

// The bytes of one copy: docs/channels.md, "What a client keeps". Errors of decode: malformed, limit, corrupt,
// unsupported.
std::string encode_kept_channel(const ChannelFiles& files);
Result<ChannelFiles> decode_kept_channel(std::string_view bytes);

}  // namespace fardel
