// The texts of a channel: a body that parses is the one body of its value, and a signed text is its parts.
#include "require.h"

#include <fardel/format/channel.h>
#include <fardel/format/name.h>

#include <cstdint>

using namespace fardel;

namespace {

template <class Value>
void check_body(const Result<Value>& value, std::string_view body, Result<std::string> (*format)(const Value&)) {
    if (!value) {
        require(printable(value.error().message(), 2000) == value.error().message());
        return;
    }
    const auto again = format(*value);
    require(again.has_value() && *again == body);
}

void check_text(ChannelText kind, std::string_view file) {
    const auto text = parse_signed_text(kind, file);
    if (text)
        require(!text->signatures.empty() && format_signed_text(*text) == file);
    else
        require(printable(text.error().message(), 2000) == text.error().message());
}

}  // namespace

int fuzz_channel(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    check_body(parse_channel_root(text), text, format_channel_root);
    check_body(parse_channel_release(text), text, format_channel_release);
    check_body(parse_channel_head(text), text, format_channel_head);
    for (const ChannelText kind : {ChannelText::root, ChannelText::release, ChannelText::head})
        check_text(kind, text);
    return 0;
}
