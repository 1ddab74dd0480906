// All functions that accept names agree on whether a text is a name.
#include "require.h"

#include <fardel/format/name.h>

#include <cstdint>

int fuzz_name(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const std::string folded = fardel::fold_name(text);
    require(fardel::name_hash(text) == fardel::name_hash(folded));
    require(fardel::names_fold_equal(text, folded));
    require(fardel::printable(text, 100).size() <= 103);

    // The first half is a pattern for the rest. If it matches a name, it is well formed.
    const std::string_view pattern = text.substr(0, size / 2), rest = text.substr(size / 2);
    if (fardel::verify_name(rest) && fardel::glob_matches(pattern, rest))
        require(static_cast<bool>(fardel::verify_glob(pattern)));

    const auto name = fardel::AssetName::parse(text);
    require(name.has_value() == static_cast<bool>(fardel::verify_name(text)));
    if (!name) {
        require(fardel::printable(name.error().message(), 1000) == name.error().message());
        return 0;
    }
    require(name->text() == text);
    require(fardel::fold_name(folded) == folded);
    require(fardel::printable(text, 4096).find_first_of("\x1b\r\n") == std::string::npos);
    require(static_cast<bool>(fardel::verify_glob(text)) && fardel::glob_matches(text, text));
    require(fardel::glob_matches("**", text) && fardel::glob_matches("**/*", text));
    return 0;
}
