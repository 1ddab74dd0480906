#include <fardel/base/user_folder.h>

#include "system_call_windows.h"

#include <initguid.h>
#include <knownfolders.h>
#include <objbase.h>
#include <shlobj.h>

namespace fardel {
namespace {

std::optional<std::string> find_known_folder(const KNOWNFOLDERID& id) {
    wchar_t* text = nullptr;
    const bool is_found = ::SHGetKnownFolderPath(id, 0, nullptr, &text) == S_OK;
    std::optional<std::string> folder;
    if (is_found && text != nullptr)
        folder = plain_path(text);
    ::CoTaskMemFree(text);
    return folder;
}

}  // namespace

std::optional<std::string> find_user_folder(UserFolder kind) {
    const bool roams = kind == UserFolder::data || kind == UserFolder::config;
    return find_known_folder(roams ? FOLDERID_RoamingAppData : FOLDERID_LocalAppData);
}

std::optional<std::string> find_home_folder() { return find_known_folder(FOLDERID_Profile); }

std::optional<std::string> find_machine_folder() { return find_known_folder(FOLDERID_ProgramData); }

}  // namespace fardel
