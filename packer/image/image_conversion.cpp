#include "image_conversion.h"

#include <fardel/format/name.h>

#include <magick/api.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace fardel {
namespace {

constexpr long kSideMax = 32'768;
constexpr std::int64_t kPixelsMax = std::int64_t{1} << 26;
constexpr std::int64_t kMemoryBytesMax = std::int64_t{2} << 30;  // pixels that do not fit go to temporary files

// The decoders that stay enabled, under all names that the library has for them.
constexpr std::string_view kCoders[] = {"PNG", "JPEG", "JPG", "TGA", "BMP", "BMP2", "BMP3"};

class Problem {
public:
    Problem() { ::GetExceptionInfo(&exception_); }
    ~Problem() { ::DestroyExceptionInfo(&exception_); }
    Problem(const Problem&) = delete;
    Problem& operator=(const Problem&) = delete;
    ExceptionInfo* get() { return &exception_; }
    Error error(std::string_view what) const {
        const bool limit = exception_.severity == ResourceLimitError || exception_.severity == ResourceLimitFatalError;
        const std::string reason = exception_.reason ? ": " + printable(exception_.reason) : "";
        return Error(limit ? ErrorCode::limit : ErrorCode::malformed, std::string(what) + reason);
    }

private:
    ExceptionInfo exception_;
};

struct DestroyImages {
    void operator()(Image* image) const noexcept { ::DestroyImageList(image); }
};
struct DestroyInfo {
    void operator()(ImageInfo* info) const noexcept { ::DestroyImageInfo(info); }
};
struct FreeBytes {
    void operator()(void* bytes) const noexcept { ::MagickFree(bytes); }
};
using ImagePointer = std::unique_ptr<Image, DestroyImages>;

// A prefix of the file name forces that decoder; without it, the library examines the bytes and may choose another one.
std::unique_ptr<ImageInfo, DestroyInfo> info_for(const char* coder) {
    std::unique_ptr<ImageInfo, DestroyInfo> info(::CloneImageInfo(nullptr));
    std::strncpy(info->magick, coder, sizeof info->magick - 1);
    std::strncpy(info->filename, (std::string(coder) + ":").c_str(), sizeof info->filename - 1);
    return info;
}

void remove_other_coders() {
    Problem ignored;
    const std::unique_ptr<MagickInfo*, FreeBytes> all(::GetMagickInfoArray(ignored.get()));
    std::vector<std::string> others;
    for (MagickInfo* const* at = all.get(); at != nullptr && *at != nullptr; ++at)
        if (std::ranges::find(kCoders, std::string_view((*at)->name)) == std::end(kCoders))
            others.emplace_back((*at)->name);
    // A picture may claim one format and have another; a decoder that is not there cannot be chosen, and neither can
    // one that starts programs or opens URLs (tests/ATTACKS.md, A125).
    for (const std::string& name : others)
        ::UnregisterMagickInfo(name.c_str());
}

Result<ImagePointer> decode(std::span<const std::byte> bytes, const char* coder) {
    Problem problem;
    const auto info = info_for(coder);
    ImagePointer image(::BlobToImage(info.get(), bytes.data(), bytes.size(), problem.get()));
    // The library returns what it decoded of a truncated picture; that is refused.
    if (!image || problem.get()->severity >= ErrorException)
        return problem.error("the image cannot be decoded");
    if (image->columns == 0 || image->rows == 0)
        return Error(ErrorCode::malformed, "the image is empty");
    if (static_cast<std::int64_t>(image->columns) * static_cast<std::int64_t>(image->rows) > kPixelsMax)
        return Error(ErrorCode::limit, "the image has more than " + std::to_string(kPixelsMax) + " pixels");
    return image;
}

Status turn_upright(ImagePointer& image) {
    if (image->orientation == UndefinedOrientation || image->orientation == TopLeftOrientation)
        return ok();
    Problem problem;
    ImagePointer turned(::AutoOrientImage(image.get(), image->orientation, problem.get()));
    if (!turned)
        return problem.error("the image cannot be turned");
    image = std::move(turned);
    return ok();
}

unsigned long rounded_side(double side) { return static_cast<unsigned long>(std::max(1.0, std::floor(side + 0.5))); }

Status resize(ImagePointer& image, const ImageConversion& conversion) {
    double factor = conversion.scale;
    const auto columns = static_cast<double>(image->columns);
    const auto rows = static_cast<double>(image->rows);
    if (conversion.width_max != 0)
        factor = std::min(factor, static_cast<double>(conversion.width_max) / columns);
    if (conversion.height_max != 0)
        factor = std::min(factor, static_cast<double>(conversion.height_max) / rows);
    const unsigned long width = rounded_side(columns * factor);
    const unsigned long height = rounded_side(rows * factor);
    if (width == image->columns && height == image->rows)
        return ok();
    if (static_cast<double>(width) * static_cast<double>(height) > static_cast<double>(kPixelsMax))
        return Error(ErrorCode::limit,
                     "the resized image would have more than " + std::to_string(kPixelsMax) + " pixels");
    Problem problem;
    ImagePointer resized(::ResizeImage(image.get(), width, height, LanczosFilter, 1.0, problem.get()));
    if (!resized)
        return problem.error("the image cannot be resized");
    image = std::move(resized);
    return ok();
}

Result<std::string> encode(ImagePointer& image, ImageKind kind, unsigned long quality) {
    const char* const coder = image_kind_name(kind);
    const bool is_jpeg = kind == ImageKind::jpeg;
    ::StripImage(image.get());  // profiles, comments
    ::SetImageAttribute(image.get(), nullptr, nullptr);
    image->compression = is_jpeg ? JPEGCompression : NoCompression;
    image->interlace = NoInterlace;
    image->x_resolution = image->y_resolution = 0;
    std::strncpy(image->magick, coder, sizeof image->magick - 1);
    const auto info = info_for(coder);
    info->compression = image->compression;
    info->interlace = NoInterlace;
    info->quality = is_jpeg ? quality : 95;  // PNG: level 9, filter by row
    Problem problem;
    std::size_t length = 0;
    const std::unique_ptr<void, FreeBytes> bytes(::ImageToBlob(info.get(), image.get(), &length, problem.get()));
    if (!bytes || length == 0)
        return problem.error("the image cannot be encoded");
    return std::string(static_cast<const char*>(bytes.get()), length);
}

}  // namespace

std::string image_library_version() {
    unsigned long ignored = 0;
    const std::string_view all = ::GetMagickVersion(&ignored);  // "GraphicsMagick 1.3.40 2023-01-14 Q16 http://…"
    const std::size_t name_end = all.find(' ');
    return std::string(all.substr(0, all.find(' ', name_end == std::string_view::npos ? name_end : name_end + 1)));
}

void start_image_library() {
    Problem ignored;
    ::InitializeMagickEx(nullptr, MAGICK_OPT_NO_SIGNAL_HANDER, ignored.get());
    ::SetMagickResourceLimit(PixelsResource, kPixelsMax);
    ::SetMagickResourceLimit(WidthResource, kSideMax);
    ::SetMagickResourceLimit(HeightResource, kSideMax);
    ::SetMagickResourceLimit(MemoryResource, kMemoryBytesMax);
    ::SetMagickResourceLimit(ThreadsResource, 1);  // jobs run side by side already
    remove_other_coders();
}

Result<std::string> convert_image(std::span<const std::byte> bytes, const ImageConversion& conversion) {
    const char* const coder = image_kind_name(conversion.from);
    // Checked before the library sees the bytes: GraphicsMagick looks into them and may replace the decoder that it was
    // given.
    if (!has_image_head(conversion.from, bytes))
        return Error(ErrorCode::malformed,
                     std::string("the image cannot be decoded: its bytes are not those of a ") + coder);
    FARDEL_TRY_ASSIGN(ImagePointer image, decode(bytes, coder));
    FARDEL_TRY(turn_upright(image));
    FARDEL_TRY(resize(image, conversion));
    return encode(image, conversion.to, conversion.quality);
}

}  // namespace fardel
