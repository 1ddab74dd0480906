#include "channel/channel_file.h"

#include "console/output_file.h"

#include <fardel/base/file.h>
#include <fardel/format/name.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace fardel {
namespace {

constexpr std::array kKinds{ChannelText::root, ChannelText::release, ChannelText::head};

std::optional<ChannelText> find_kind(std::string_view text) {
    for (const ChannelText kind : kKinds)
        if (text.starts_with(fmt::format("fardel-channel-{} ", channel_text_name(kind))))
            return kind;
    return std::nullopt;
}

template <class Value>
Status copy_names(const Result<Value>& parsed, ChannelFile& file) {
    if (!parsed)
        return parsed.error();
    file.channel = parsed->channel;
    file.version = parsed->version;
    return ok();
}

Status read_names(ChannelFile& file) {
    switch (file.kind) {
        case ChannelText::root: return copy_names(parse_channel_root(file.text.body), file);
        case ChannelText::release: return copy_names(parse_channel_release(file.text.body), file);
        case ChannelText::head: break;
    }
    return copy_names(parse_channel_head(file.text.body), file);
}

Result<ChannelFile> parse_channel_file(std::string content) {
    const auto kind = find_kind(content);
    if (!kind)
        return Error(ErrorCode::malformed, "it is no root, release or head of a channel");
    ChannelFile file{.kind = *kind, .text = {}, .channel = {}, .version = 0};
    if (content.find("\nsignature ") != std::string::npos) {
        FARDEL_TRY_ASSIGN(file.text, parse_signed_text(*kind, content));
    } else {
        file.text.body = std::move(content);
    }
    FARDEL_TRY(read_names(file));
    return file;
}

}  // namespace

Result<ChannelFile> read_channel_file(const std::string& path) {
    FARDEL_TRY_ASSIGN(const RegularFile file, open_regular_file(path, printable(path)));
    FARDEL_TRY_ASSIGN(std::string content,
                      read_text(file.descriptor, channel_file_bytes_max(ChannelText::release), printable(path)));
    auto parsed = parse_channel_file(std::move(content));
    return parsed ? std::move(parsed) : std::move(parsed).error().with_context(printable(path));
}

Status write_channel_file(const std::string& path, const ChannelFile& file) {
    return write_file(path, format_signed_text(file.text));
}

Result<ChannelRoot> read_root_file(const std::string& path, std::string* file) {
    FARDEL_TRY_ASSIGN(const ChannelFile read, read_channel_file(path));
    if (read.kind != ChannelText::root)
        return Error(ErrorCode::malformed,
                     fmt::format("{}: it is {}, and a root is needed", printable(path), channel_text_name(read.kind)));
    if (file != nullptr)
        *file = format_signed_text(read.text);
    return parse_channel_root(read.text.body);
}

std::vector<std::string> signers_of(ChannelText kind, const SignedText& text, const ChannelRoot& root) {
    std::vector<std::string> labels = root.role(kind).labels;
    std::erase_if(labels, [&](const std::string& label) {
        return !verify_signers(kind, text, root, {.threshold = 1, .labels = {label}});
    });
    return labels;
}

std::string title_of(const ChannelFile& file) {
    return fmt::format("{} {} of {}", channel_text_name(file.kind), file.version, printable(file.channel));
}

}  // namespace fardel
