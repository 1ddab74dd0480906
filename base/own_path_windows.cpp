#include <fardel/base/own_program.h>

#include "system_call_windows.h"

namespace fardel {

std::optional<std::string> find_own_path() {
    std::wstring self(32'768, L'\0');
    self.resize(::GetModuleFileNameW(nullptr, self.data(), static_cast<DWORD>(self.size())));
    return plain_path(self);
}

}  // namespace fardel
