#include "incoming/incoming_pack.h"

#include <fardel/base/file.h>
#include <fardel/format/file_source.h>

namespace fardel {

Result<IncomingPack> IncomingPack::open(const StoreFolder& folder, const BundleId& bundle) {
    FARDEL_TRY_ASSIGN(Descriptor file, folder.lock_incoming(bundle));
    return IncomingPack(std::move(file), folder.incoming_path(bundle, "pack"));
}

Result<bool> IncomingPack::has_bytes() const {
    FARDEL_TRY_ASSIGN(const FileStatus status, file_status(file_, path_));
    return status.size_bytes != 0;
}

Result<bool> IncomingPack::read_at(std::uint64_t offset, std::span<std::byte> out) const {
    FARDEL_TRY_ASSIGN(const std::size_t count, read_whole_at(file_, offset, out, path_));
    return count == out.size();
}

Result<std::shared_ptr<const ByteSource>> IncomingPack::open_source(std::uint64_t size_bytes) const {
    FARDEL_TRY_ASSIGN(Descriptor same, file_.duplicate(path_));
    return make_file_source(std::move(same), size_bytes, path_.text());
}

Status IncomingPack::write_next(std::span<const std::byte> bytes) const {
    return write_whole_at(file_, size_bytes_, bytes, path_);
}

void IncomingPack::accept(std::span<const std::byte> bytes) {
    hasher_.update(bytes);
    size_bytes_ += bytes.size();
}

Status IncomingPack::cut_rest() const { return resize_file(file_, size_bytes_, path_); }

Status IncomingPack::clear() {
    size_bytes_ = 0;
    hasher_.reset();
    return cut_rest();
}

Status IncomingPack::sync() const { return sync_file(file_, path_); }

Status IncomingPack::remove() const {
    FARDEL_TRY_ASSIGN(const bool is_there, has_name(file_, path_, path_));
    if (is_there)
        FARDEL_TRY(remove_file(path_, path_));
    return ok();
}

}  // namespace fardel
