// How much memory this machine has, for programs that decide how much work they begin at a time.
#pragma once

#include <cstdint>
#include <optional>

namespace fardel {

// Returns the memory in bytes, or what a container may use of it if that is less; nothing if the system does not say.
std::optional<std::uint64_t> find_machine_memory();

}  // namespace fardel
