// The methods by which the files of a 7z are compressed, for messages: PhysicsFS says only that it does not read a
// file.
//
// Source of the format: 7zFormat.txt and Methods.txt of the LZMA SDK. Pure, except for reading `archive`; the bytes are
// hostile, and what cannot be understood has no methods.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/byte_source.h>

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace fardel {

struct SevenZipMethods {
    std::string names;        // "BCJ2, LZMA"
    bool is_readable = true;  // PhysicsFS reads all of them
};

struct SevenZipContent {
    SevenZipMethods list;                          // of the list of files itself
    std::map<std::string, SevenZipMethods> files;  // by name, with its folders; not those that are empty
};

// Returns the content of the only file of a 7z, which is in memory.
using UnpackSevenZip = std::function<Result<std::vector<std::byte>>(std::vector<std::byte> archive)>;

// The list of files is usually compressed, too: then `unpack` is asked for it, as the only file of another 7z; without
// `unpack` only the methods of the list are found. Errors: malformed, those of reading and of `unpack`.
Result<SevenZipContent> read_seven_zip(const ByteSource& archive, const UnpackSevenZip& unpack);

}  // namespace fardel
