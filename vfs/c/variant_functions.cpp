// The functions of fardel.h about variants.

#include "c_handles.h"
#include "c_text.h"

#include <fardel/format/c_interface.h>

#include <utility>

using namespace fardel;
using namespace fardel::c;

fardel_code fardel_prefer(fardel_vfs* vfs, const char* preference, fardel_error* error) {
    return call(error, vfs != nullptr, [&](const Report& report) {
        return report.end(parse_variant_preference(preference != nullptr ? preference : ""),
                          [&](VariantPreference parsed) { vfs->vfs.prefer(std::move(parsed)); });
    });
}

fardel_code fardel_prefer_in_mount(fardel_vfs* vfs, fardel_mount_id mount, const char* preference,
                                   fardel_error* error) {
    return call(error, vfs != nullptr, [&](const Report& report) {
        auto parsed = parse_variant_preference(preference != nullptr ? preference : "");
        return parsed ? report.end(vfs->vfs.prefer(MountId{mount}, *std::move(parsed))) : report.fail(parsed.error());
    });
}

fardel_code fardel_variant_axes(const fardel_vfs* vfs, char* buffer, size_t size_bytes, size_t* needed_bytes,
                                fardel_error* error) {
    return call(error, vfs != nullptr && (buffer != nullptr || size_bytes == 0), [&](const Report& report) {
        const auto axes = vfs->vfs.variant_axes();
        return axes ? give_text(format_variant_preference(*axes), buffer, size_bytes, needed_bytes, report)
                    : report.fail(axes.error());
    });
}
