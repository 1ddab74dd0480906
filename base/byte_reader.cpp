#include <fardel/base/byte_reader.h>

namespace fardel {

void ByteReader::fail(ErrorCode code, std::string_view message) {
    rest_ = {};
    if (status_)
        status_ = Error(code, std::string(subject_) + ": " + std::string(message));
}

void ByteReader::cut_off() { fail(ErrorCode::malformed, "cut off after " + std::to_string(size_bytes_) + " bytes"); }

void ByteReader::too_long(std::uint64_t size_bytes, std::uint64_t bytes_max, std::string_view field) {
    fail(ErrorCode::limit, std::string(field) + " of " + std::to_string(size_bytes) + " bytes, at most " +
                               std::to_string(bytes_max) + " allowed");
}

Status ByteReader::finish() {
    if (!rest_.empty())
        fail(ErrorCode::malformed, std::to_string(rest_.size()) + " bytes too many");
    return std::move(status_);
}

}  // namespace fardel
