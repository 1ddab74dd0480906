#include "remote/kept_bytes.h"

#include "fetch/stored_blocks.h"

#include <fardel/base/fits.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

namespace fardel {
namespace {

constexpr std::size_t kRecentBytesMax = 32u << 20;
constexpr int kLockAttempts = 20;
constexpr std::chrono::milliseconds kIncomingLockWait{50};

// A program that has just ended may still have the lock.
Result<IncomingBundle> open_incoming(const BundleStore& store, const BundleId& bundle) {
    for (int attempt = 1;; ++attempt) {
        auto incoming = IncomingBundle::open(store, bundle);
        if (incoming || incoming.error().code() != ErrorCode::busy || attempt == kLockAttempts)
            return incoming;
        std::this_thread::sleep_for(kIncomingLockWait);
    }
}

}  // namespace

Result<std::unique_ptr<KeptBytes>> KeptBytes::open(const BundleStore& store, const BundleId& bundle) {
    std::unique_ptr<KeptBytes> kept(new KeptBytes);
    auto incoming = open_incoming(store, bundle);
    if (incoming) {
        kept->incoming_.emplace(std::move(*incoming));
        kept->file_bytes_ = kept->incoming_->file_bytes();
        if (kept->file_bytes_) {
            FARDEL_TRY_ASSIGN(kept->stored_, kept->incoming_->live_source());
        }
        return kept;
    }
    if (incoming.error().code() != ErrorCode::busy)
        return std::move(incoming).error();
    kept->why_in_memory_ = std::move(incoming).error();
    // Another program is fetching it. What the store had before can be read.
    if (auto stored = store.open_bundle(bundle)) {
        kept->stored_ = *std::move(stored);
        kept->file_bytes_ = kept->stored_->size_bytes();
    }
    return kept;
}

Status KeptBytes::set_file_bytes(std::uint64_t file_bytes) {
    file_bytes_ = file_bytes;
    if (!incoming_)
        return ok();
    FARDEL_TRY(incoming_->set_file_bytes(file_bytes));
    FARDEL_TRY_ASSIGN(stored_, incoming_->live_source());
    return ok();
}

bool KeptBytes::read(std::uint64_t offset, std::span<std::byte> out) const {
    return (stored_ && stored_->read_at(offset, out)) || read_recent(offset, out);
}

bool KeptBytes::holds(std::uint64_t offset, std::uint64_t length) const {
    if (stored_ && stored_->holds(offset, length))
        return true;
    const std::scoped_lock lock(mutex_);
    const std::uint64_t end = offset + length;
    while (offset < end) {
        const Recent* const recent = find_recent(offset);
        if (recent == nullptr)
            return false;
        offset = recent->offset + recent->bytes.size();
    }
    return true;
}

bool KeptBytes::share(LibraryBlocks& library, std::uint64_t offset, const Hash& stored_hash,
                      std::uint32_t stored_bytes) {
    if (why_in_memory() || !file_bytes_)
        return false;
    const std::scoped_lock lock(writing_);
    if (!incoming_)
        return false;
    if (incoming_->holds(offset, stored_bytes))
        return true;
    const auto is_shared = share_block(*incoming_, library, offset, stored_hash, stored_bytes);
    return is_shared && *is_shared;
}

void KeptBytes::write(std::uint64_t offset, std::span<const std::byte> bytes) {
    if (const std::scoped_lock writing(writing_); incoming_ && !why_in_memory()) {
        Status written = incoming_->write(offset, bytes);
        if (written)
            return;
        const std::scoped_lock lock(mutex_);
        // A full disk does not end a game that only reads: what comes from now on is kept in memory.
        why_in_memory_ = std::move(written).error();
    }
    write_recent(offset, bytes);
}

Status KeptBytes::leave_to_store(const LayoutId& layout) {
    const std::scoped_lock writing(writing_);
    if (!incoming_ || why_in_memory())
        return ok();
    IncomingBundle incoming = *std::move(incoming_);
    incoming_.reset();
    {
        const std::scoped_lock lock(mutex_);
        why_in_memory_ = Error(ErrorCode::busy, "a later root of the project is kept");
    }
    return std::move(incoming).commit(layout);
}

Status KeptBytes::discard() {
    stored_.reset();
    file_bytes_.reset();
    return incoming_ ? incoming_->discard() : ok();
}

Status KeptBytes::restart() {
    stored_.reset();
    file_bytes_.reset();
    return incoming_ ? incoming_->restart() : ok();
}

std::optional<Error> KeptBytes::why_in_memory() const {
    const std::scoped_lock lock(mutex_);
    return why_in_memory_;
}

bool KeptBytes::read_recent(std::uint64_t offset, std::span<std::byte> out) const {
    const std::scoped_lock lock(mutex_);
    while (!out.empty()) {
        const Recent* const recent = find_recent(offset);
        if (recent == nullptr)
            return false;
        const std::uint64_t skipped = offset - recent->offset;
        const std::size_t count = std::min<std::size_t>(out.size(), recent->bytes.size() - in_memory(skipped));
        std::memcpy(out.data(), recent->bytes.data() + skipped, count);
        out = out.subspan(count);
        offset += count;
    }
    return true;
}

// Returns what has the byte.
const KeptBytes::Recent* KeptBytes::find_recent(std::uint64_t offset) const {
    const auto after = by_offset_.upper_bound(offset);
    if (after == by_offset_.begin())
        return nullptr;
    const Recent& recent = *std::prev(after)->second;
    return offset - recent.offset < recent.bytes.size() ? &recent : nullptr;
}

void KeptBytes::write_recent(std::uint64_t offset, std::span<const std::byte> bytes) {
    const std::scoped_lock lock(mutex_);
    if (by_offset_.contains(offset))
        return;
    recent_.push_front({.offset = offset, .bytes = {bytes.begin(), bytes.end()}});
    by_offset_.emplace(offset, recent_.begin());
    recent_bytes_ += bytes.size();
    while (recent_bytes_ > kRecentBytesMax) {
        recent_bytes_ -= recent_.back().bytes.size();
        by_offset_.erase(recent_.back().offset);
        recent_.pop_back();
    }
}

}  // namespace fardel
