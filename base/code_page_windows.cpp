#include <fardel/base/code_page.h>

#include "system_call_windows.h"

#include <algorithm>
#include <charconv>
#include <iterator>

namespace fardel {
namespace {

struct NamedPage {
    std::string_view name;
    UINT number;
};

// Windows knows encodings by number; these have names without one.
constexpr NamedPage kNamed[] = {
    {"ascii", 20127},   {"big5", 950},     {"euc-jp", 20932},  {"euc-kr", 51949},  {"euckr", 51949},
    {"gb18030", 54936}, {"gb2312", 936},   {"gbk", 936},       {"koi8-r", 20866},  {"koi8-u", 21866},
    {"latin1", 28591},  {"sjis", 932},     {"shift-jis", 932}, {"shift_jis", 932}, {"us-ascii", 20127},
    {"utf-8", CP_UTF8}, {"utf8", CP_UTF8},
};

struct NumberedPages {
    std::string_view prefix;
    UINT first;  // the number that follows the prefix is added to it
};

constexpr NumberedPages kNumbered[] = {
    {"cp", 0}, {"ibm", 0}, {"windows-", 0}, {"iso-8859-", 28590}, {"iso8859-", 28590},
};

UINT number_of_page(std::string_view name) {
    const auto* const named = std::ranges::find(kNamed, name, &NamedPage::name);
    if (named != std::end(kNamed))
        return named->number;
    for (const NumberedPages& pages : kNumbered) {
        UINT number = 0;
        if (!name.starts_with(pages.prefix))
            continue;
        const char* const end = name.data() + name.size();
        const auto [rest, failure] = std::from_chars(name.data() + pages.prefix.size(), end, number);
        return failure == std::errc() && rest == end ? pages.first + number : 0;
    }
    return 0;
}

}  // namespace

struct CodePage::System {
    UINT number;
};

std::optional<CodePage> CodePage::find(const std::string& name) {
    const UINT number = number_of_page(name);
    if (number == 0 || !::IsValidCodePage(number))
        return std::nullopt;
    return CodePage(std::make_shared<const System>(System{number}));
}

std::optional<std::string> CodePage::decode(std::string_view text) const {
    if (text.empty())
        return std::string();
    const int size = static_cast<int>(text.size());
    std::wstring wide(text.size(), L'\0');
    const int count = ::MultiByteToWideChar(system_->number, MB_ERR_INVALID_CHARS, text.data(), size, wide.data(),
                                            static_cast<int>(wide.size()));
    if (count == 0)
        return std::nullopt;
    return to_utf8(std::wstring_view(wide).substr(0, static_cast<std::size_t>(count)));
}

}  // namespace fardel
