// File systems whose files other computers may change at the same time: network file systems, and those that programs
// provide (FUSE).
#pragma once

#include <fardel/base/descriptor.h>
#include <fardel/base/file_location.h>
#include <fardel/base/result.h>

#include <optional>
#include <string>
#include <string_view>

namespace fardel {

// Whether other computers may change the files beside this one: then names and listings may be a while old, and what
// is written may reach the others only after sync_file().
bool may_be_shared(const Descriptor& file) noexcept;

// Asks the computer that has the folder of this name whether the names in it have changed. An NFS client believes for
// up to a minute what it has heard before: that a name is not there, and which file it names.
void refresh_names(const FileLocation& location) noexcept;

// Whether the file was replaced or removed by another computer after it had been opened.
bool was_replaced(const Error& error) noexcept;

// Returns what read() returns, which opens a file and reads it; calls it again if the file was replaced in between: a
// server of NFS 3 knows no open files, and removes one that is read.
template <class Read>
auto read_present(const Read& read) {
    constexpr int kTriedMax = 10;
    for (int tried = 1;; ++tried)
        if (auto bytes = read(); bytes || !was_replaced(bytes.error()) || tried == kTriedMax)
            return bytes;
}

// Returns the name of the file system if other computers may change its files and do not see locks on them, or are kept
// by a lock from reading the file, as over SMB.
std::optional<std::string> find_unseen_locks(const Descriptor& file);

// The same by its type and options, as /proc/self/mountinfo has them.
bool has_unseen_locks(std::string_view type, std::string_view options) noexcept;

// Returns the name of the file system if the file is reached over SMB: there, a file that is to be replaced while
// another computer has it open may be lost.
std::optional<std::string> find_smb(const Descriptor& file);

// The same by the type, as /proc/self/mountinfo has it.
bool is_smb(std::string_view type) noexcept;

}  // namespace fardel
