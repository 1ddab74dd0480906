// A text that parses as a key file of Fardel's own unencrypted form is exactly what its values encode to. A passphrase
// is only asked for after the cost of using it was found acceptable; here the provider then refuses.
#include "require.h"

#include <fardel/format/key_file.h>

#include <cstdint>

using namespace fardel;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const bool own = text.starts_with("fardel-");
    if (const auto file = parse_public_key(text)) {
        const auto again = format_public_key(file->key, file->comment);
        require(again.has_value() && (!own || *again == text));
    }
    bool asked = false;
    const auto key = decode_key_file(text, [&]() -> Result<std::string> {
        asked = true;
        return Error(ErrorCode::cancelled, "no passphrase");
    });
    require(!asked || (!key && key.error().code() == ErrorCode::cancelled));
    if (key && own) {
        const std::size_t comment = text.find("comment: ") + 9;
        require(encode_key_file(*key, std::nullopt, text.substr(comment, text.find('\n', comment) - comment)).value() ==
                text);
    }
    return 0;
}
