// CacheSettings: what is said about the layers of a project's derived-data cache: by the project, the machine, its
// user, the environment and a command line. Plain values. docs/derived-cache.md, "Who says which layers there are".
#pragma once

#include <fardel/format/ids.h>
#include <fardel/packer/project_position.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fardel {

// How much of a folder of derived data a build leaves at its end.
struct CacheLimits {
    std::optional<std::uint64_t> bytes_max;
    std::optional<std::uint32_t> unused_days;

    bool is_empty() const noexcept { return !bytes_max && !unused_days; }
};

// In the order in which they are heard: the later ones decide.
enum class CacheAuthor : std::uint8_t { built_in, project, machine, user, environment, command_line };

// What one of them says about the layer with this name. A member without a value says nothing.
struct CacheSetting {
    std::string name;  // lower-case letters, digits and '-'
    CacheAuthor author = CacheAuthor::command_line;
    ProjectPosition at;       // for messages; with line 0, its file is the variable or the option
    std::string relative_to;  // the folder of relative paths; empty: the working folder
    // Where the layer is: at most one of these. They and the token's file may have variables, "${HOME}", and "~".
    std::string folder;
    std::string url;
    std::string bundle;
    // These belong to that location.
    bool shared = false;     // the folder is on a network
    std::string token_file;  // its first line is sent to the server
    CacheLimits limits;      // of the folder; empty: builds do not trim it

    std::optional<bool> off;
    std::optional<bool> read;
    std::optional<bool> write;         // stores the results of jobs
    std::optional<bool> fill;          // stores results that were found in later layers
    std::vector<PublicKey> signed_by;  // only records that one of these keys has signed are used
    std::optional<std::chrono::milliseconds> slow;
    std::vector<std::string> graphs;  // in which the layer takes part; empty: in all
    std::string before;               // the layer is asked before this one
};

struct CacheSettings {
    std::vector<CacheSetting> layers;  // the later ones decide
    std::string graph;                 // empty: "desk"
    CacheAuthor graph_author = CacheAuthor::command_line;
    std::string graph_origin;
};

}  // namespace fardel
