// main() and getenv() get words in the code page that the machine's owner has chosen, which lacks most characters.
#include <fardel/base/invocation.h>

#include "system_call_windows.h"

#include <shellapi.h>

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

}  // namespace fardel
