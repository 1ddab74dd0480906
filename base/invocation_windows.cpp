// main() and getenv() get words in the code page that the machine's owner has chosen, which lacks most characters.
#include <fardel/base/invocation.h>

#include "system_call_windows.h"

#include <fardel/base/ascii.h>

#include <shellapi.h>

#include <algorithm>
#include <cwchar>

namespace fardel {

std::vector<std::string> words_of_program(int, char**) {
    std::vector<std::string> words;
    int count = 0;
    wchar_t** const passed = ::CommandLineToArgvW(::GetCommandLineW(), &count);
    for (int i = 1; passed != nullptr && i < count; ++i)
        words.push_back(to_utf8(passed[i]));
    ::LocalFree(passed);
    return words;
}

std::string variable(const char* name) {
    const std::wstring wide_name = to_utf16(name);
    std::wstring value(32'767, L'\0');  // the longest that there is
    value.resize(::GetEnvironmentVariableW(wide_name.c_str(), value.data(), static_cast<DWORD>(value.size())));
    return to_utf8(value);
}

// Names have no case here; most people write them in upper case.
std::vector<std::pair<std::string, std::string>> variables_with_prefix(std::string_view prefix) {
    std::vector<std::pair<std::string, std::string>> found;
    wchar_t* const lines = ::GetEnvironmentStringsW();
    for (const wchar_t* line = lines; line != nullptr && *line != L'\0'; line += std::wcslen(line) + 1) {
        const std::string text = to_utf8(line);
        const std::size_t end = text.find('=');
        std::string name = text.substr(0, end);
        for (char& c : name)
            c = is_ascii_lower(c) ? static_cast<char>(c - ('a' - 'A')) : c;
        if (end != std::string::npos && name.starts_with(prefix))
            found.emplace_back(std::move(name), text.substr(end + 1));
    }
    if (lines != nullptr)
        ::FreeEnvironmentStringsW(lines);
    std::ranges::sort(found);
    return found;
}

}  // namespace fardel
