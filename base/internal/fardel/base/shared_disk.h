// File systems whose files other computers may change at the same time: network file systems, and those that programs
// provide (FUSE).
#pragma once

#include <fardel/base/descriptor.h>

#include <optional>
#include <string>
#include <string_view>

namespace fardel {

// Whether other computers may change the files beside this one: then names and listings may be a while old, and what
// is written may reach the others only after sync_file().
bool may_be_shared(const Descriptor& file) noexcept;

// Returns the name of the file system if other computers do not see locks on its files, although they may change them.
std::optional<std::string> find_unseen_locks(const Descriptor& file);

// The same by its type and options, as /proc/self/mountinfo has them.
bool has_unseen_locks(std::string_view type, std::string_view options) noexcept;

}  // namespace fardel
