#include <fardel/sources/name_reading.h>

#include <fardel/base/ascii.h>
#include <fardel/base/code_page.h>
#include <fardel/format/name.h>
#include <fardel/format/name_form.h>

#include <algorithm>

namespace fardel {
namespace {

constexpr std::size_t kReadingBytesMax = 32;

bool is_utf8_reading(std::string_view reading) { return reading == "utf-8" || reading == "utf8"; }

}  // namespace

Status verify_name_reading(std::string_view reading) {
    const std::string word = lower_ascii_text(reading);
    const bool is_word =
        std::ranges::all_of(word, [](char c) { return is_ascii_letter_or_digit(c) || c == '-' || c == '_'; });
    if (word == "exact" || (!word.empty() && word.size() <= kReadingBytesMax && is_word && CodePage::find(word)))
        return ok();
    return Error(ErrorCode::malformed, "no way to read names is called \"" + printable(reading, kReadingBytesMax) +
                                           "\"; there are exact, utf-8, and code pages such as cp437, cp1252, gbk");
}

std::string read_name(std::string_view raw_name, std::string_view reading) {
    const std::string word = lower_ascii_text(reading);
    std::string name(raw_name);
    if (word.empty() || word == "exact")
        return name;
    if (!is_well_formed_utf8(name) && !is_utf8_reading(word)) {
        const auto page = CodePage::find(word);
        const auto decoded = page ? page->decode(name) : std::nullopt;
        if (!decoded)
            return name;
        name = *decoded;
    }
    if (!is_well_formed_utf8(name))
        return name;
    std::ranges::replace(name, '\\', '/');
    return compose_text(name);
}

}  // namespace fardel
