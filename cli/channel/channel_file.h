// A file with one text of a channel, which may still lack signatures: its owner carries it from key to key.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/channel.h>
#include <fardel/format/signer.h>

#include <string>
#include <string_view>
#include <vector>

namespace fardel {

struct ChannelFile {
    ChannelText kind = ChannelText::root;
    SignedText text;  // maybe without signatures
    std::string channel;
    std::uint64_t version = 0;
};

// Errors: malformed (no text of a channel), limit, unsupported, those of reading.
Result<ChannelFile> read_channel_file(const std::string& path);
Status write_channel_file(const std::string& path, const ChannelFile& file);
// Reads a file that must be a root. Errors: as read_channel_file; malformed (another text).
Result<ChannelRoot> read_root_file(const std::string& path, std::string* file = nullptr);

// The labels of the role's keys that have signed the text.
std::vector<std::string> signers_of(ChannelText kind, const SignedText& text, const ChannelRoot& root);

// "release 3 of mygame/stable"
std::string title_of(const ChannelFile& file);

}  // namespace fardel
