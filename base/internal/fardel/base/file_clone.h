// Files that share blocks of the disk until one of them is changed (reflinks): btrfs, XFS, bcachefs and others.
#pragma once

#include <fardel/base/descriptor.h>
#include <fardel/base/result.h>

#include <functional>
#include <string_view>

namespace fardel {

// Gives `to`, an empty file that is open to write, the content of `from`, without copying. What is written to one of
// them later does not change the other. Returns false if the system, or the file system of the two, cannot do that:
// `to` is empty then. `subject` begins the message of an error. Errors: no_space, io. Any thread.
Result<bool> clone_file(const Descriptor& from, const Descriptor& to, std::string_view subject);

// clone_file(), or what a test puts in its place.
using CloneFile = std::function<Result<bool>(const Descriptor& from, const Descriptor& to, std::string_view subject)>;

}  // namespace fardel
