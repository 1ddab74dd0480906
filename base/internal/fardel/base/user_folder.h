// The folders in which the system keeps what programs store for a user.
//
// On Linux and the other systems of POSIX, the variables of the XDG Base Directory Specification name them:
// XDG_DATA_HOME or ~/.local/share, XDG_STATE_HOME or ~/.local/state, XDG_CACHE_HOME or ~/.cache, XDG_CONFIG_HOME or
// ~/.config. On Windows, they are FOLDERID_LocalAppData for `state` and `cache`, and FOLDERID_RoamingAppData for `data`
// and `config`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace fardel {

enum class UserFolder : std::uint8_t { data, state, cache, config };

// An absolute path; nothing if the user has no such folder. A variable with a relative path counts as unset, because
// what it means would depend on the working directory; so does a HOME that is no folder, as daemons have.
std::optional<std::string> find_user_folder(UserFolder kind);

// What "~" means: HOME, or on Windows the folder of the user's profile.
std::optional<std::string> find_home_folder();

// Where administrators configure programs for all users of the machine: /etc, on Windows FOLDERID_ProgramData.
std::optional<std::string> find_machine_folder();

}  // namespace fardel
