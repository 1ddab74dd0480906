#include "packs/growing_source.h"

#include "packs/record_source.h"

#include <fardel/base/file_status.h>

#include <mutex>
#include <optional>
#include <shared_mutex>
#include <utility>

namespace fardel {
namespace {

class GrowingSource final : public ByteSource {
public:
    GrowingSource(StoreFolder folder, const StoreRecord& record, std::shared_ptr<const ByteSource> source)
        : folder_(std::move(folder)),
          bundle_(record.bundle),
          layout_(record.layout),
          file_bytes_(record.file_bytes),
          source_(std::move(source)) {}

    std::uint64_t size_bytes() const noexcept override { return file_bytes_; }

    Status read_at(std::uint64_t offset, std::span<std::byte> out) const override {
        for (auto source = current();;) {
            Status read = source->read_at(offset, out);
            if (read || read.error().code() != ErrorCode::missing)
                return read;
            // What a fetch added since is there for mounts and open files, and nothing is mounted again: one `stat` of
            // the record if nothing has changed.
            auto grown = grow(source);
            if (!grown)
                return read;
            source = std::move(grown);
        }
    }

    bool holds(std::uint64_t offset, std::uint64_t length) const override {
        auto source = current();
        while (source && !source->holds(offset, length))
            source = grow(source);
        return source != nullptr;
    }

    void prefetch(std::uint64_t offset, std::uint64_t length) const override { current()->prefetch(offset, length); }

    Result<std::shared_ptr<const std::byte[]>> map(std::uint64_t offset, std::uint64_t length) const override {
        return current()->map(offset, length);
    }

private:
    std::shared_ptr<const ByteSource> current() const {
        const std::shared_lock lock(mutex_);
        return source_;
    }

    // Returns a source that has more than `before`; nullptr if there is none, or it cannot be read.
    std::shared_ptr<const ByteSource> grow(const std::shared_ptr<const ByteSource>& before) const {
        const std::unique_lock lock(mutex_);
        if (source_ != before)
            return source_;  // another thread was faster
        const auto status = folder_.find_record_status(bundle_);
        if (!status || !*status || (seen_ && is_same(**status, *seen_)))
            return nullptr;
        const auto record = folder_.find_record(bundle_);
        // A bundle that was replaced by another layout of itself does not grow: offsets would mean other bytes.
        if (!record || !*record || (*record)->layout != layout_ || (*record)->file_bytes != file_bytes_)
            return nullptr;
        auto source = open_record_source(folder_, **record);
        if (!source)
            return nullptr;
        seen_ = **status;  // older than the record: if that has changed in between, it is read once more
        source_ = *std::move(source);
        return source_;
    }

    static bool is_same(const FileStatus& a, const FileStatus& b) {
        return a.same_file_as(b) && a.size_bytes == b.size_bytes && a.modified_ns == b.modified_ns;
    }

    const StoreFolder folder_;
    const BundleId bundle_;
    const LayoutId layout_;
    const std::uint64_t file_bytes_;
    mutable std::shared_mutex mutex_;  // guards what follows
    mutable std::shared_ptr<const ByteSource> source_;
    mutable std::optional<FileStatus> seen_;  // of the record that was read last; nothing: not yet
};

}  // namespace

std::shared_ptr<const ByteSource> make_growing_source(const StoreFolder& folder, const StoreRecord& record,
                                                      std::shared_ptr<const ByteSource> source) {
    return std::make_shared<GrowingSource>(folder, record, std::move(source));
}

}  // namespace fardel
