#include <fardel/base/user_folder.h>

#include <fardel/base/file.h>

#include <cstdlib>
#include <string_view>

namespace fardel {
namespace {

struct Place {
    const char* variable;
    std::string_view below_home;
};

Place place_of(UserFolder kind) noexcept {
    switch (kind) {
        case UserFolder::data: return {"XDG_DATA_HOME", "/.local/share"};
        case UserFolder::state: return {"XDG_STATE_HOME", "/.local/state"};
        case UserFolder::cache: return {"XDG_CACHE_HOME", "/.cache"};
        case UserFolder::config: return {"XDG_CONFIG_HOME", "/.config"};
    }
    return {"", ""};
}

std::string absolute_variable(const char* name) {
    const char* const text = std::getenv(name);
    return text != nullptr && *text == '/' ? text : "";
}

}  // namespace

std::optional<std::string> find_user_folder(UserFolder kind) {
    const Place place = place_of(kind);
    if (std::string folder = absolute_variable(place.variable); !folder.empty())
        return folder;
    auto home = find_home_folder();
    return home ? std::optional(*home + std::string(place.below_home)) : std::nullopt;
}

std::optional<std::string> find_home_folder() {
    const std::string home = absolute_variable("HOME");
    const auto status = home.empty() ? Result<FileStatus>(FileStatus()) : file_status(home, home);
    return status && status->is_folder() ? std::optional(home) : std::nullopt;
}

std::optional<std::string> find_machine_folder() { return "/etc"; }

}  // namespace fardel
