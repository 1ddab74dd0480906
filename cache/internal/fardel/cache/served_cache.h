// ServedCache: the folder of a cache as a server shows it: files by their paths, and what clients send, which is
// checked before it is visible. Any thread.
#pragma once

#include <fardel/base/result.h>
#include <fardel/cache/cache_question.h>
#include <fardel/format/byte_source.h>
#include <fardel/format/ids.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

struct ServedCacheFile {
    bool is_record = false;  // otherwise an object
    Hash id;
};

// A file on its way into a cache. One thread.
class CacheUpload {
public:
    virtual ~CacheUpload() = default;
    // Errors: limit, no_space, io.
    virtual Status append(std::span<const std::byte> bytes) = 0;
    // Errors: corrupt (an object with another id), those of decode_cache_record (a record of another key, or none),
    // no_space, io.
    virtual Status finish() = 0;
};

class ServedCache {
public:
    // Errors: those of opening a folder layer; missing.
    static Result<std::unique_ptr<ServedCache>> open(const std::string& folder);
    virtual ~ServedCache() = default;

    // Parses "records/ab/<64 digits>" or "objects/ab/<64 digits>"; any other text names no file.
    static std::optional<ServedCacheFile> find_file(std::string_view path);

    // Counts as use. Errors: missing, io.
    virtual Result<std::shared_ptr<const ByteSource>> open_file(const ServedCacheFile& file) const = 0;
    // Whether an object is there. Records are replaced, so they never are.
    virtual bool has_object(const ServedCacheFile& file) const = 0;
    // By id of the question, the records first.
    virtual std::vector<bool> find_lacking(const CacheQuestion& question) const = 0;
    // `bytes_max`: what the upload may have at most.
    virtual std::unique_ptr<CacheUpload> begin_upload(const ServedCacheFile& file, std::uint64_t bytes_max) const = 0;
};

}  // namespace fardel
