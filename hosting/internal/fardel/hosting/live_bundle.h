// LiveBundle: a bundle whose content changes while it is served. Each state is a bundle of its own, a root.
#pragma once

#include <fardel/format/byte_source.h>
#include <fardel/format/ids.h>

#include <memory>
#include <optional>

namespace fardel {

// Any thread may call any function; none waits.
class LiveBundle {
public:
    virtual ~LiveBundle() = default;
    // The latest root; nothing: there is none yet.
    virtual std::optional<BundleId> head() const = 0;
    // The bytes of the latest root, of one shortly before it, or of a bundle file that one of them needs; nullptr: not
    // one of these. Blocks whose files changed
    // since cannot be read (conflict).
    virtual std::shared_ptr<const ByteSource> find(const BundleId& root) const = 0;
};

}  // namespace fardel
