#include <fardel/format/base64.h>

#include "kit/bytes.h"
#include "kit/test.h"

namespace fardel::tests::base64_test {

// Nothing if the text is refused.
std::optional<std::string> decoded(std::string_view text) {
    Bytes bytes(base64_bytes(text));
    return decode_base64(text, bytes) ? std::optional(text_of(bytes)) : std::nullopt;
}

TEST_CASE("base64: has the texts of RFC 4648") {
    const std::pair<std::string_view, std::string_view> vectors[] = {{"", ""},
                                                                     {"f", "Zg=="},
                                                                     {"fo", "Zm8="},
                                                                     {"foo", "Zm9v"},
                                                                     {"foob", "Zm9vYg=="},
                                                                     {"fooba", "Zm9vYmE="},
                                                                     {"foobar", "Zm9vYmFy"},
                                                                     {"\xfb\xff", "+/8="}};
    for (const auto& vector : vectors) {
        CHECK(encode_base64(bytes_of(vector.first)) == vector.second);
        CHECK(decoded(vector.second) == std::string(vector.first));
    }
    CHECK(decoded("-_8=") == "\xfb\xff");  // URL-safe
}

TEST_CASE("base64: refuses every other text, and one of another length") {
    for (const std::string_view text : {"=", "==", "Z", "Zg", "Zg=", "Zg===", "Zm9v=", "Zm9v\n", " Zm9v", "Zm=v",
                                        "Zh==", "Zm9", "+_8=", "Zm9*", "====", "Zm9vZm9"}) {
        CAPTURE(text);
        CHECK_FALSE(decoded(text));
    }
    Bytes longer(4);
    CHECK_FALSE(decode_base64("Zm9v", longer));
    CHECK_FALSE(decode_base64("Zm9v", std::span(longer).first(2)));
}

}  // namespace fardel::tests::base64_test
