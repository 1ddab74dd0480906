// The key of a job: a hash of everything that determines its result. Pure; any thread.
//
// Covered: a schema number, the processor's kind, name, version, command or built-in (with this library's version of
// it), digest of its code, every parameter, the tags, the names and ids of its inputs, the names of its outputs. Not
// covered: keep_source, timeout, line, and all locations on disk. A second key also covers the inputs that a job found.
#pragma once

#include <fardel/format/ids.h>
#include <fardel/packer/processor.h>

#include <span>

namespace fardel {

// `code`: the result of code_digest for the processor.
BuildKey build_key(const ProcessorJob& job, const Hash& code);
BuildKey build_key_with(const BuildKey& key, std::span<const FoundInput> found);

}  // namespace fardel
