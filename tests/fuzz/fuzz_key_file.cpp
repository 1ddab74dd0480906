// A text that parses as a key file of Fardel's own unencrypted form is exactly what its values encode to, but for the
// line ends of Windows. A passphrase is only asked for after the cost of using it was found acceptable; here the
// provider then refuses.
#include "require.h"

#include <fardel/format/key_file.h>

#include <cstdint>
#include <string>

using namespace fardel;

namespace {

std::string with_unix_line_ends(std::string_view text) {
    std::string unified;
    for (std::size_t i = 0; i < text.size(); ++i)
        if (text[i] != '\r' || i + 1 == text.size() || text[i + 1] != '\n')
            unified += text[i];
    return unified;
}

}  // namespace

int fuzz_key_file(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const std::string unified = with_unix_line_ends(text);
    const bool own = text.starts_with("fardel-");
    if (const auto file = parse_public_key(text)) {
        const auto again = format_public_key(file->key, file->comment);
        require(again.has_value() && (!own || *again == unified));
    }
    bool asked = false;
    const auto key = decode_key_file(text, [&]() -> Result<std::string> {
        asked = true;
        return Error(ErrorCode::cancelled, "no passphrase");
    });
    require(!asked || (!key && key.error().code() == ErrorCode::cancelled));
    if (key && own) {
        const std::size_t comment = unified.find("comment: ") + 9;
        const std::string_view line = std::string_view(unified).substr(comment, unified.find('\n', comment) - comment);
        require(encode_key_file(*key, std::nullopt, line).value() == unified);
    }
    return 0;
}
