#include <fardel/sources/name_reading.h>

#include <fardel/base/ascii.h>
#include <fardel/format/name.h>
#include <fardel/format/name_form.h>

#include <iconv.h>

#include <algorithm>
#include <optional>

namespace fardel {
namespace {

constexpr std::size_t kReadingBytesMax = 32;

class CodePage {
public:
    explicit CodePage(const std::string& name) : converter_(::iconv_open("UTF-8", name.c_str())) {}
    ~CodePage() {
        if (is_open())
            ::iconv_close(converter_);
    }
    CodePage(const CodePage&) = delete;
    CodePage& operator=(const CodePage&) = delete;

    bool is_open() const { return converter_ != reinterpret_cast<::iconv_t>(-1); }

    std::optional<std::string> decode(std::string text) const {
        std::string out(4 * text.size() + 16, '\0');  // no character takes more
        char* from = text.data();
        char* to = out.data();
        std::size_t from_left = text.size();
        std::size_t to_left = out.size();
        if (::iconv(converter_, &from, &from_left, &to, &to_left) == static_cast<std::size_t>(-1) || from_left != 0)
            return std::nullopt;
        out.resize(out.size() - to_left);
        return out;
    }

private:
    ::iconv_t converter_;
};

bool is_utf8_reading(std::string_view reading) { return reading == "utf-8" || reading == "utf8"; }

}  // namespace

Status verify_name_reading(std::string_view reading) {
    const std::string word = lower_ascii_text(reading);
    const bool is_word =
        std::ranges::all_of(word, [](char c) { return is_ascii_letter_or_digit(c) || c == '-' || c == '_'; });
    if (word == "exact" || (!word.empty() && word.size() <= kReadingBytesMax && is_word && CodePage(word).is_open()))
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
        const CodePage page(word);
        const auto decoded = page.is_open() ? page.decode(name) : std::nullopt;
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
