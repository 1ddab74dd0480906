// The functions of fardel.h about metadata.

#include "c_handles.h"

#include <fardel/format/c_interface.h>
#include <fardel/vfs/inspect.h>

#include <string>
#include <string_view>
#include <variant>

using namespace fardel;
using namespace fardel::c;

namespace {

fardel_metadata plain_metadata(const MetadataEntry& entry) noexcept {
    fardel_metadata out{.struct_size = sizeof out,
                        .key = entry.key.c_str(),
                        .text = nullptr,
                        .number = 0,
                        .integer = 0,
                        .kind = FARDEL_METADATA_TEXT,
                        .of_bundle = entry.of_bundle ? 1 : 0};
    if (const auto* const text = std::get_if<std::string>(&entry.value)) {
        out.text = text->c_str();
    } else if (const auto* const number = std::get_if<double>(&entry.value)) {
        out.kind = FARDEL_METADATA_NUMBER;
        out.number = *number;
    } else if (const auto* const integer = std::get_if<std::int64_t>(&entry.value)) {
        out.kind = FARDEL_METADATA_INTEGER;
        out.integer = *integer;
        out.number = static_cast<double>(*integer);
    } else {
        out.kind = FARDEL_METADATA_BOOLEAN;
        out.integer = std::get<bool>(entry.value) ? 1 : 0;
    }
    return out;
}

}  // namespace

fardel_code fardel_read_metadata(const fardel_vfs* vfs, const char* path, const char* key, fardel_metadata_found found,
                                 void* context, size_t* count, fardel_error* error) {
    if (count != nullptr)
        *count = 0;
    return call(error, vfs != nullptr && path != nullptr, [&](const Report& report) {
        return report.end(vfs->vfs.metadata(path), [&](const Metadata& metadata) {
            const MetadataEntry* const wanted = key != nullptr ? metadata.find(key) : nullptr;
            for (const MetadataEntry& entry : metadata.entries) {
                if (key != nullptr && &entry != wanted)
                    continue;
                if (count != nullptr)
                    ++*count;
                if (found == nullptr)
                    continue;
                const fardel_metadata plain = plain_metadata(entry);
                found(context, &plain);
            }
        });
    });
}
