#include <fardel/base/user_folder.h>

#include "system_call_windows.h"

#include <initguid.h>
#include <knownfolders.h>
#include <objbase.h>
#include <shlobj.h>

namespace fardel {

std::optional<std::string> find_user_folder(UserFolder kind) {
    wchar_t* text = nullptr;
    const bool is_found =
        ::SHGetKnownFolderPath(kind == UserFolder::data ? FOLDERID_RoamingAppData : FOLDERID_LocalAppData, 0, nullptr,
                               &text) == S_OK;
    std::optional<std::string> folder;
    if (is_found && text != nullptr)
        folder = plain_path(text);
    ::CoTaskMemFree(text);
    return folder;
}

}  // namespace fardel
