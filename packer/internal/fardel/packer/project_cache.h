// The layers of a project's derived-data cache: what everybody says about them, as one list. docs/derived-cache.md,
// "Who says which layers there are".
//
// A project may be somebody else's: it decides nothing about layers of the machine and its user, and learns none of
// their variables.
#pragma once

#include <fardel/base/result.h>
#include <fardel/cache/cache_layers.h>
#include <fardel/packer/build.h>
#include <fardel/packer/cache_settings.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

// Of the project's own folder, which is always the first layer.
inline constexpr std::string_view kOwnCacheName = "own";
// Of a folder that all projects of a user can share; built in, and off unless somebody switches it on.
inline constexpr std::string_view kUserCacheName = "user";
inline constexpr std::string_view kCacheGraphDefault = "desk";

// ---- Reading what others than the project say -----------------------------------------------------------------------

// What others than the project say: the machine's file, the user's file and the environment, if the request wants that,
// and the request itself. A file that is not there says nothing. Errors: denied, io, malformed, limit.
Result<CacheSettings> read_cache_settings(const CacheRequest& request);

// A config.toml, of the machine or of its user. `file`: its path. Pure. Errors: malformed, limit; the message describes
// the first mistake and counts the others.
Result<CacheSettings> parse_cache_settings(std::string_view text, std::string_view file, CacheAuthor author);

// What a variable or an option says: `value` is a path, a URL, "off", "on" or "read-only". Pure. Error: malformed.
Result<CacheSetting> parse_cache_setting(std::string_view name, std::string_view value, CacheAuthor author,
                                         std::string_view origin);

// Whether a layer or a graph may have this name.
bool is_cache_name(std::string_view text) noexcept;

// Returns "a file.toml:3", "FARDEL_CACHE_FARM".
std::string origin_of(const CacheSetting& setting);

// ---- Merging --------------------------------------------------------------------------------------------------------

struct CacheKeyOrigin {
    std::string_view key;
    CacheAuthor author = CacheAuthor::project;
    std::string text;  // origin_of() the setting
};

struct MergedCache {
    // Everything that counts. The folder, the bundle and the token's file can be used from the working folder. Its
    // author and origin are those of the location.
    CacheSetting setting;
    std::vector<CacheKeyOrigin> origins;  // of each key that somebody stated
    std::string unused;                   // why builds do not use it; empty: they do

    // Only the project vouches for what is found there: neither the location nor its signers are anybody else's.
    bool is_of_project() const;
    const CacheKeyOrigin* find_origin(std::string_view key) const;
};

struct MergedCaches {
    std::string graph;
    std::string graph_origin;         // "default" if nobody chose
    std::vector<MergedCache> layers;  // as they are asked, behind the project's own
    std::vector<std::string> notes;   // what was said about layers and graphs that nothing defines
};

// Returns the value of a variable; empty if it is not set.
using FindVariable = std::function<std::string(const std::string& name)>;

// Pure. `folder`: that of the project. `home`: what "~" means; empty: unknown. Errors: missing (a variable of a layer
// that is used; a layer or a graph of which a command line speaks), malformed.
Result<MergedCaches> merge_caches(std::span<const CacheSetting> of_project, const std::string& folder,
                                  const CacheSettings& settings, const std::string& home, const FindVariable& find);

// The same for this machine. A folder of the project that is the folder of somebody else's layer is not used under the
// project's rules. Errors: those of merge_caches.
Result<MergedCaches> find_project_caches(std::span<const CacheSetting> of_project, const std::string& folder,
                                         const CacheSettings& settings);

// Returns the layer that somebody else than the project has put into this folder, links resolved; nullptr if none is.
const MergedCache* find_folder_owner(const MergedCaches& merged, const std::string& folder);

// ---- Opening --------------------------------------------------------------------------------------------------------

// As builds open it; creates a folder that is not there. `patience`: for one request to a server. Errors: those of
// opening the layer, and of reading its token; untrusted (a token's file that a project names outside of its folder).
Result<std::unique_ptr<CacheLayer>> open_project_cache(const MergedCache& cache,
                                                       std::chrono::milliseconds patience = HttpLayerOptions().timeout);

}  // namespace fardel
