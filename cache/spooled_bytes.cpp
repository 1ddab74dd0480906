#include "spooled_bytes.h"

#include <fardel/base/file.h>
#include <fardel/format/file_source.h>

#include <string>
#include <utility>

namespace fardel {
namespace {

constexpr std::string_view kSubject = "a temporary file";

}  // namespace

Status SpooledBytes::append(std::span<const std::byte> bytes) {
    if (bytes.size() > bytes_max_ - size_bytes_)
        return Error(ErrorCode::limit, "more than " + std::to_string(bytes_max_) + " bytes");
    if (!file_ && size_bytes_ + bytes.size() <= kMemoryBytesMax) {
        memory_.insert(memory_.end(), bytes.begin(), bytes.end());
    } else {
        if (!file_) {
            FARDEL_TRY_ASSIGN(file_, create_unnamed_file(kSubject));
            FARDEL_TRY(write_whole_at(file_, 0, memory_, kSubject));
            memory_ = {};
        }
        FARDEL_TRY(write_whole_at(file_, size_bytes_, bytes, kSubject));
    }
    size_bytes_ += bytes.size();
    return ok();
}

std::shared_ptr<const BlobSource> SpooledBytes::take_blob() {
    if (!file_)
        return make_memory_blob(std::move(memory_));
    return make_bytes_blob(make_file_source(std::move(file_), size_bytes_, std::string(kSubject)));
}

std::vector<std::byte> SpooledBytes::take_memory() { return std::move(memory_); }

}  // namespace fardel
