// The functions of fardel.h about writable folders.

#include "c_text.h"

#include <fardel/format/c_interface.h>
#include <fardel/vfs/fardel.h>
#include <fardel/vfs/writable_folder.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

using namespace fardel;
using namespace fardel::c;

struct fardel_writable {
    WritableFolder folder;
};
struct fardel_writable_file {
    WritableFile file;
};

namespace {

std::span<const std::byte> bytes_at(const void* bytes, std::size_t size_bytes) noexcept {
    return {static_cast<const std::byte*>(bytes), size_bytes};
}

void report_entry(const WritableEntry& entry, fardel_writable_found found, void* context) {
    fardel_writable_entry out{};
    out.struct_size = sizeof out;
    out.name = entry.name.c_str();
    out.size_bytes = entry.size_bytes;
    out.modified_s = entry.modified.seconds;
    out.is_folder = entry.is_folder ? 1 : 0;
    found(context, &out);
}

}  // namespace

fardel_code fardel_writable_open(const char* path, uint64_t bytes_max, uint32_t files_max, fardel_writable** folder,
                                 fardel_error* error) {
    return open_handle(folder, path != nullptr, error, [&] {
        WritableOptions options;
        if (bytes_max != 0)
            options.bytes_max = bytes_max;
        if (files_max != 0)
            options.files_max = files_max;
        return WritableFolder::open(path, options);
    });
}

void fardel_writable_close(fardel_writable* folder) { delete folder; }

fardel_code fardel_writable_write(fardel_writable* folder, const char* name, const void* bytes, size_t size_bytes,
                                  fardel_error* error) {
    const bool given = folder != nullptr && name != nullptr && (bytes != nullptr || size_bytes == 0);
    return call(error, given, [&](const Report& report) {
        return report.end(folder->folder.write(name, bytes_at(bytes, size_bytes)));
    });
}

fardel_code fardel_writable_read(const fardel_writable* folder, const char* name, void* buffer, size_t size_bytes,
                                 size_t* needed_bytes, fardel_error* error) {
    const bool given = folder != nullptr && name != nullptr && (buffer != nullptr || size_bytes == 0);
    return call(error, given, [&](const Report& report) {
        const auto source = folder->folder.open_file(name);
        if (!source)
            return report.fail(source.error());
        const std::uint64_t present = (*source)->size_bytes();
        if (needed_bytes != nullptr)
            *needed_bytes = static_cast<std::size_t>(std::min<std::uint64_t>(present, SIZE_MAX));
        if (size_bytes < present)
            return report.fail(FARDEL_ERROR_LIMIT, "the buffer is too small for the file");
        const std::span<std::byte> out(static_cast<std::byte*>(buffer), static_cast<std::size_t>(present));
        return report.end((*source)->read_at(0, out));
    });
}

fardel_code fardel_writable_stat(const fardel_writable* folder, const char* name, fardel_writable_found found,
                                 void* context, fardel_error* error) {
    const bool given = folder != nullptr && name != nullptr && found != nullptr;
    return call(error, given, [&](const Report& report) {
        return report.end(folder->folder.find_stat(name), [&](const std::optional<WritableEntry>& entry) {
            if (entry)
                report_entry(*entry, found, context);
        });
    });
}

fardel_code fardel_writable_list(const fardel_writable* folder, const char* name, fardel_writable_found found,
                                 void* context, fardel_error* error) {
    return call(error, folder != nullptr && found != nullptr, [&](const Report& report) {
        const auto entries = folder->folder.list(name != nullptr ? name : "");
        if (!entries)
            return report.fail(entries.error());
        for (const WritableEntry& entry : *entries)
            report_entry(entry, found, context);
        return fardel_code{FARDEL_OK};
    });
}

fardel_code fardel_writable_remove(fardel_writable* folder, const char* name, int32_t* removed, fardel_error* error) {
    return call(error, folder != nullptr && name != nullptr, [&](const Report& report) {
        return report.end(folder->folder.remove(name), [&](bool was_there) {
            if (removed != nullptr)
                *removed = was_there ? 1 : 0;
        });
    });
}

fardel_code fardel_writable_use(const fardel_writable* folder, uint64_t* bytes, uint64_t* files, fardel_error* error) {
    return call(error, folder != nullptr, [&](const Report& report) {
        return report.end(folder->folder.use(), [&](const WritableUse& use) {
            if (bytes != nullptr)
                *bytes = use.bytes;
            if (files != nullptr)
                *files = use.files;
        });
    });
}

fardel_code fardel_writable_create(fardel_writable* folder, const char* name, fardel_writable_file** file,
                                   fardel_error* error) {
    return open_handle(file, folder != nullptr && name != nullptr, error, [&] { return folder->folder.create(name); });
}

fardel_code fardel_writable_append(fardel_writable_file* file, const void* bytes, size_t size_bytes,
                                   fardel_error* error) {
    return call(error, file != nullptr && (bytes != nullptr || size_bytes == 0),
                [&](const Report& report) { return report.end(file->file.write(bytes_at(bytes, size_bytes))); });
}

fardel_code fardel_writable_commit(fardel_writable_file* file, fardel_error* error) {
    return call(error, file != nullptr, [&](const Report& report) { return report.end(file->file.commit()); });
}

void fardel_writable_file_close(fardel_writable_file* file) { delete file; }

fardel_code fardel_user_data_folder(const char* organisation, const char* game, char* buffer, size_t size_bytes,
                                    size_t* needed_bytes, fardel_error* error) {
    const bool given = organisation != nullptr && game != nullptr && (buffer != nullptr || size_bytes == 0);
    return call(error, given, [&](const Report& report) {
        const auto path = user_data_folder(organisation, game);
        return path ? give_text(*path, buffer, size_bytes, needed_bytes, report) : report.fail(path.error());
    });
}
