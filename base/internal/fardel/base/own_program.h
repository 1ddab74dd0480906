// The programs that Fardel's libraries start to decode hostile bytes, and how these are confined: fardel-image and
// fardel-archive.
//
// Any thread.
#pragma once

#include <fardel/base/sandbox.h>
#include <fardel/base/sanitizers.h>

#include <fardel/base/result.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fardel {

// Returns the path of the running program; nothing where the system does not tell it.
std::optional<std::string> find_own_path();

// What the names of programs end with: nothing, or ".exe".
extern const std::string_view kProgramEnding;

// Whether `path` is a file that this process may run.
bool is_program(const std::string& path);

// Returns `wanted` or, if that is empty, the program beside the running program, in its ../libexec/fardel, or in
// `installed`, the folder where this library was installed. Error: missing; its message begins with `purpose`.
Result<std::string> find_own_program(std::string_view name, const std::string& wanted, const std::string& installed,
                                     std::string_view purpose);

// Libraries may be read wherever they are installed; only the loader's folders have programs that may be started. Files
// may be written in `folder` alone; if it is empty, nowhere.
SandboxRules own_program_rules(const std::string& program, const std::string& folder);

// Returns ConfinedCall::memory_bytes_max. A sanitizer reserves terabytes of address space, so there is no limit then.
constexpr std::uint64_t own_program_memory(std::uint64_t bytes_max) noexcept { return kSanitized ? 0 : bytes_max; }

}  // namespace fardel
