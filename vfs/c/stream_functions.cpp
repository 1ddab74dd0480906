// The functions of fardel.h about streams and views.

#include "c_handles.h"

#include <fardel/format/c_interface.h>

#include <cstddef>
#include <utility>

struct fardel_stream {
    fardel::FileStream stream;
};
struct fardel_view {
    fardel::FileView view;
};

using namespace fardel;
using namespace fardel::c;

fardel_code fardel_stream_open(const fardel_file* file, fardel_stream** stream, fardel_error* error) {
    return open_handle(stream, file != nullptr, error, [&] { return Result<FileStream>(FileStream(file->file)); });
}

fardel_code fardel_stream_read(fardel_stream* stream, void* buffer, size_t size_bytes, size_t* read_bytes,
                               fardel_error* error) {
    if (read_bytes != nullptr)
        *read_bytes = 0;
    return call(error, stream != nullptr && read_bytes != nullptr && (buffer != nullptr || size_bytes == 0),
                [&](const Report& report) {
                    return report.end(stream->stream.read({static_cast<std::byte*>(buffer), size_bytes}),
                                      [&](std::size_t count) { *read_bytes = count; });
                });
}

void fardel_stream_seek(fardel_stream* stream, uint64_t position) {
    if (stream != nullptr)
        stream->stream.seek(position);
}

uint64_t fardel_stream_position(const fardel_stream* stream) {
    return stream != nullptr ? stream->stream.position() : 0;
}

void fardel_stream_close(fardel_stream* stream) { delete stream; }

fardel_code fardel_view_open(const fardel_file* file, uint64_t offset, size_t size_bytes, fardel_view** view,
                             fardel_error* error) {
    return open_handle(view, file != nullptr, error, [&] { return file->file.view(offset, size_bytes); });
}

const void* fardel_view_bytes(const fardel_view* view) { return view != nullptr ? view->view.bytes().data() : nullptr; }

size_t fardel_view_size(const fardel_view* view) { return view != nullptr ? view->view.bytes().size() : 0; }

void fardel_view_close(fardel_view* view) { delete view; }
