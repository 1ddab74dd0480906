// The keys of programs that make derived data themselves.
#include <fardel/cache/cache_queue.h>

#include <fardel/base/byte_writer.h>

#include <fardel/format/hash.h>

namespace fardel {
namespace {

// Raised when the parts of a key change. It keeps these keys apart from those of jobs and from all other hashes.
constexpr std::string_view kDerivedKeySchema = "fardel derived data 1";
constexpr std::size_t kParameterBytesMax = 64u << 20;

}  // namespace

Result<BuildKey> cache_key_of(const CacheKeyParts& parts) {
    if (parts.plugin.empty())
        return Error(ErrorCode::malformed, "a key of derived data needs the name of the plug-in that makes them");
    if (parts.plugin.size() > kCacheKeyTextBytesMax || parts.version.size() > kCacheKeyTextBytesMax)
        return Error(ErrorCode::limit, "name and version of a plug-in have at most " +
                                           std::to_string(kCacheKeyTextBytesMax) + " bytes each");
    if (parts.parameters.size() > kParameterBytesMax || parts.inputs.size() > kCacheKeyInputsMax)
        return Error(ErrorCode::limit, "a key of derived data has at most " + std::to_string(kParameterBytesMax) +
                                           " bytes of parameters and " + std::to_string(kCacheKeyInputsMax) +
                                           " inputs");
    ByteWriter front;
    front.sized_text<std::uint32_t>(kDerivedKeySchema);
    front.sized_text<std::uint32_t>(parts.plugin);
    front.sized_text<std::uint32_t>(parts.version);
    front.u64(parts.parameters.size());
    ByteWriter inputs;
    inputs.u64(parts.inputs.size());
    for (const AssetId& input : parts.inputs)
        inputs.fixed(input);
    Hasher hasher;
    hasher.update(front.bytes());
    hasher.update(parts.parameters);
    hasher.update(inputs.bytes());
    return id_from<BuildKey>(hasher.finish());
}

}  // namespace fardel
