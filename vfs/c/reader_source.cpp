#include "reader_source.h"

#include <fardel/base/fits.h>
#include <fardel/format/c_interface.h>

#include <string>

namespace fardel {
namespace {

class ReaderSource final : public ByteSource {
public:
    ReaderSource() = default;
    ~ReaderSource() override {
        if (reader_.release != nullptr)
            reader_.release(reader_.context);
    }
    void take(const fardel_reader& reader) noexcept { reader_ = reader; }

    std::uint64_t size_bytes() const noexcept override { return reader_.size_bytes; }

    Status read_at(std::uint64_t offset, std::span<std::byte> out) const override {
        if (!fits(offset, out.size(), reader_.size_bytes))
            return Error(ErrorCode::corrupt,
                         "the reader has only " + std::to_string(reader_.size_bytes) + " bytes of the bundle");
        if (out.empty())
            return ok();
        fardel_error error = FARDEL_ERROR_INIT;
        const fardel_code code = reader_.read_at(reader_.context, offset, out.data(), out.size(), &error);
        if (code == FARDEL_OK)
            return ok();
        error.text[sizeof error.text - 1] = '\0';
        return Error(c::error_code_of(code), error.text[0] != '\0' ? error.text : "the reader cannot read the bundle");
    }

    void prefetch(std::uint64_t offset, std::uint64_t length) const override {
        if (reader_.prefetch != nullptr)
            reader_.prefetch(reader_.context, offset, length);
    }

    bool holds(std::uint64_t offset, std::uint64_t length) const override {
        return reader_.holds == nullptr || reader_.holds(reader_.context, offset, length) != 0;
    }

private:
    fardel_reader reader_ = FARDEL_READER_INIT;
};

}  // namespace

std::shared_ptr<const ByteSource> make_reader_source(const fardel_reader& reader) {
    std::shared_ptr<ReaderSource> source;
    try {
        source = std::make_shared<ReaderSource>();
    } catch (...) {
        if (reader.release != nullptr)
            reader.release(reader.context);
        throw;
    }
    source->take(reader);
    return source;
}

}  // namespace fardel
