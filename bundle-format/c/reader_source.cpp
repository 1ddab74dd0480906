#include <fardel/format/reader_source.h>

#include <fardel/base/fits.h>
#include <fardel/format/c_interface.h>

#include <string>

namespace fardel {
namespace {

// Stored and remote bundles reach a Vfs in C through this struct of functions: `libfardel.so` needs no store, no HTTP
// and no threads of a fetch, and vfs/ and delivery/ do not include each other.
class ReaderSource final : public ByteSource {
public:
    ReaderSource() = default;
    ~ReaderSource() override {
        if (reader_.release != nullptr)
            reader_.release(reader_.context);
    }
    void adopt(const fardel_reader& reader) noexcept { reader_ = reader; }

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
        // The reader is code of others: its text may not end.
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

// ---- A ByteSource as a reader ---------------------------------------------------------------------------------------

using SharedSource = std::shared_ptr<const ByteSource>;

const ByteSource& source_of(void* context) noexcept { return **static_cast<SharedSource*>(context); }

fardel_code read_source(void* context, std::uint64_t offset, void* buffer, std::size_t size_bytes,
                        fardel_error* error) {
    return c::call(error, buffer != nullptr || size_bytes == 0, [&](const c::Report& report) {
        return report.end(source_of(context).read_at(offset, {static_cast<std::byte*>(buffer), size_bytes}));
    });
}

void prefetch_source(void* context, std::uint64_t offset, std::uint64_t size_bytes) {
    c::call(nullptr, true, [&](const c::Report&) {
        source_of(context).prefetch(offset, size_bytes);
        return fardel_code{FARDEL_OK};
    });
}

std::int32_t holds_source(void* context, std::uint64_t offset, std::uint64_t size_bytes) {
    // If call() stops an exception, the bytes count as absent.
    bool holds = false;
    c::call(nullptr, true, [&](const c::Report&) {
        holds = source_of(context).holds(offset, size_bytes);
        return fardel_code{FARDEL_OK};
    });
    return holds ? 1 : 0;
}

void release_source(void* context) { delete static_cast<SharedSource*>(context); }

}  // namespace

fardel_code give_reader(std::shared_ptr<const ByteSource> source, fardel_reader* out, const c::Report& report) {
    if (!c::is_size(out->struct_size, c::kReaderBytesLeast))
        return report.argument("the reader's struct_size is not set");
    fardel_reader reader = FARDEL_READER_INIT;
    reader.size_bytes = source->size_bytes();
    reader.read_at = read_source;
    reader.prefetch = prefetch_source;
    reader.holds = holds_source;
    reader.release = release_source;
    reader.context = new SharedSource(std::move(source));
    c::give(reader, out);
    return FARDEL_OK;
}

fardel_code copy_reader(const fardel_reader& given, fardel_reader& taken, const c::Report& report) {
    if (const fardel_code bad = c::read_options(&given, c::kReaderBytesLeast, taken, report); bad != FARDEL_OK)
        return bad;
    return taken.read_at != nullptr ? FARDEL_OK : report.argument("the reader has no read_at");
}

fardel_code adopt_readers(const fardel_reader* readers, std::size_t count,
                          std::vector<std::shared_ptr<const ByteSource>>& sources, const c::Report& report) {
    std::vector<fardel_reader> taken(count, FARDEL_READER_INIT);
    for (std::size_t i = 0; i < count; ++i)
        if (const fardel_code bad = copy_reader(readers[i], taken[i], report); bad != FARDEL_OK)
            return bad;
    sources.reserve(count);
    for (const fardel_reader& reader : taken)
        sources.push_back(make_reader_source(reader));
    return FARDEL_OK;
}

std::shared_ptr<const ByteSource> make_reader_source(const fardel_reader& reader) {
    std::shared_ptr<ReaderSource> source;
    try {
        source = std::make_shared<ReaderSource>();
    } catch (...) {
        if (reader.release != nullptr)
            reader.release(reader.context);
        throw;
    }
    source->adopt(reader);
    return source;
}

}  // namespace fardel
