// Lists what the key of a job covers, for people: what build_key.h hashes. Pure; any thread.
#pragma once

#include <fardel/packer/processor.h>

#include <span>
#include <string>
#include <vector>

namespace fardel {

// One thing that a key covers. Two parts of one key differ in kind or name.
struct KeyPart {
    std::string kind;   // "source", "input", "found", "parameter", "tag", "command", "program", "code", "version", …
    std::string name;   // of a file or parameter; may be empty
    std::string value;  // a text, or the hash of a file; of a found file that was absent: "absent"

    friend bool operator==(const KeyPart&, const KeyPart&) = default;
};

// `code`: JobCode::parts of the processor. Two jobs whose parts are equal have equal keys.
std::vector<KeyPart> key_parts(const ProcessorJob& job, const std::vector<KeyPart>& code,
                               std::span<const FoundInput> found);

}  // namespace fardel
