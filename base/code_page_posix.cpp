#include <fardel/base/code_page.h>

#include <iconv.h>

namespace fardel {

struct CodePage::System {
    explicit System(const std::string& name) : converter(::iconv_open("UTF-8", name.c_str())) {}
    ~System() {
        if (is_open())
            ::iconv_close(converter);
    }
    System(const System&) = delete;
    System& operator=(const System&) = delete;

    bool is_open() const { return converter != reinterpret_cast<::iconv_t>(-1); }

    ::iconv_t converter;
};

std::optional<CodePage> CodePage::find(const std::string& name) {
    auto system = std::make_shared<const System>(name);
    return system->is_open() ? std::optional(CodePage(std::move(system))) : std::nullopt;
}

std::optional<std::string> CodePage::decode(std::string_view text) const {
    std::string copy(text);
    std::string out(4 * copy.size() + 16, '\0');  // no character takes more
    char* from = copy.data();
    char* to = out.data();
    std::size_t from_left = copy.size();
    std::size_t to_left = out.size();
    if (::iconv(system_->converter, &from, &from_left, &to, &to_left) == static_cast<std::size_t>(-1) || from_left != 0)
        return std::nullopt;
    out.resize(out.size() - to_left);
    return out;
}

}  // namespace fardel
