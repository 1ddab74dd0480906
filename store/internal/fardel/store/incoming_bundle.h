// IncomingBundle: a bundle on its way into a store, range by range, in any order.
//
// What was written stays if the program is killed: the next one goes on from there. Nothing is visible in the store
// before commit(). The bytes are untrusted; whoever writes them compares them with the bundle's hashes first, and
// verifies the whole before commit(). One thread; of several processes, one at a time has the same bundle.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/byte_source.h>
#include <fardel/format/ids.h>
#include <fardel/store/bundle_store.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

inline constexpr std::uint64_t kReceivedFileBytesMax = 1ull << 44;  // of a bundle file, whatever a server says

// What the store has of a bundle already counts as written.
enum class StoredPart {
    used,    // all of it
    proved,  // only what is in packs that have the bytes of their names: reads them. For bundles that may be damaged
};

class IncomingBundle {
public:
    // Reads what an earlier attempt wrote, and compares it with the hashes in its log; from the first difference on, it
    // is discarded. Errors: busy (another process is fetching this bundle), denied, no_space, io; with `proved` also
    // cancelled.
    static Result<IncomingBundle> open(const BundleStore& store, const BundleId& bundle,
                                       StoredPart stored = StoredPart::used, const std::stop_token& stop = {});
    ~IncomingBundle();
    IncomingBundle(IncomingBundle&&) noexcept;
    IncomingBundle& operator=(IncomingBundle&&) = delete;

    // The size of the bundle file. Set it once, before anything is written; an earlier attempt may have done so.
    std::optional<std::uint64_t> file_bytes() const noexcept;
    Status set_file_bytes(std::uint64_t file_bytes);

    // Names the server that the bundle comes from: quotas of collections count by it. At most 2048 bytes count.
    void set_source(std::string source);

    std::uint64_t held_bytes() const noexcept;
    bool holds(std::uint64_t file_offset, std::uint64_t length_bytes) const;

    // Writes bytes. Those that are held already stay as they are.
    Status write(std::uint64_t file_offset, std::span<const std::byte> bytes);
    // Uses a block that was written before forget() or restart(), or that another bundle in the store has, after
    // comparing its bytes with the hash. Returns false if there is none.
    Result<bool> share(std::uint64_t file_offset, const Hash& stored_hash, std::uint32_t stored_bytes);
    // Keeps bytes that are not part of the file and from which parts of it are made, under a key that the caller
    // chooses. They are kept as long as written bytes are: until commit() or discard(). A key that is used already
    // keeps its bytes.
    Status keep_extra(std::string_view key, std::span<const std::byte> bytes);
    Result<bool> has_extra(std::string_view key);
    Result<std::optional<std::vector<std::byte>>> read_extra(std::string_view key);
    // Discards everything that was written or shared so far, and no longer uses what the store had of the bundle: the
    // parts do not fit together.
    Status discard();
    // Drops this range, and every range that was written in one call with a part of it. share() still finds their
    // bytes, also in a later attempt.
    Status forget(std::uint64_t file_offset, std::uint64_t length_bytes);
    // Forgets all ranges and the size of the file: the bundle turned out to have another layout.
    Status restart();

    // Returns the bytes of the file as far as they are held at this moment; others are `missing`.
    Result<std::shared_ptr<const ByteSource>> source() const;

    // The same, but what is written later can be read, too. Any number of threads may read it while this object is used
    // or after it is gone; reading never waits for a write. What discard() discards becomes `missing` or unreadable.
    Result<std::shared_ptr<const ByteSource>> live_source();

    // Makes the bundle visible in the store: whole, or incomplete. Call it once.
    Status commit(const LayoutId& layout) &&;

private:
    struct Impl;
    explicit IncomingBundle(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace fardel
