// A mount namespace in which only chosen files and folders can be changed. Part of the sandbox.
//
// It covers what neither Landlock nor a filter of system calls can see: modes, owners, times and attributes of files
// that a path or a descriptor names.
#pragma once

#include <span>
#include <string>

namespace fardel {

enum class ReadOnlyMounts : unsigned char {
    entered,                      // by root
    entered_with_user_namespace,  // by others; the namespace maps this process's user and group to themselves
    unavailable,                  // nothing has changed
    failed,                       // errno is set; this process can only end
};

// Whether this system lets this process enter such a namespace. Tried once per process, in a child.
bool can_enter_read_only_mounts();

// Makes each mount read-only for this process and everything that it starts from now on, except `writable`: paths of
// existing files and folders with their contents. Descriptors that were opened before, and the current folder, are not
// affected. To be called only if can_enter_read_only_mounts. Neither allocates nor locks.
ReadOnlyMounts enter_read_only_mounts(std::span<const std::string> writable) noexcept;

}  // namespace fardel
