// Images by GraphicsMagick. Decoders are chosen by the bytes, from a short list, never by what a file asks for: others
// of the library's start programs or open files.

#include "builtin.h"

#include <fardel/sources/content_type.h>

#include <magick/api.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>

namespace fardel {
namespace {

constexpr std::size_t kSourceBytesMax = std::size_t{512} << 20;
constexpr long kSideMax = 32'768;
constexpr std::int64_t kPixelsMax = std::int64_t{1} << 26;
constexpr std::int64_t kMemoryBytesMax = std::int64_t{2}
                                         << 30;  // of all jobs together; what does not fit goes to temporary files
constexpr double kScaleMax = 16;

constexpr std::string_view kParameters[] = {"scale", "width", "height", "format", "quality"};

struct ImageFormat {
    std::string_view name;  // of the parameter
    std::string_view extension;
    const char* coder;
};
constexpr ImageFormat kFormats[] = {{"png", "png", "PNG"}, {"jpeg", "jpg", "JPEG"}, {"tga", "tga", "TGA"}};

const ImageFormat* find_format(std::string_view name) {
    const auto found = std::ranges::find(kFormats, name, &ImageFormat::name);
    return found == std::end(kFormats) ? nullptr : found;
}

std::string lowered_extension_of(std::string_view name) {
    const std::size_t dot = name.rfind('.');
    std::string extension(dot == std::string_view::npos ? std::string_view() : name.substr(dot + 1));
    std::ranges::transform(extension, extension.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return extension;
}

const ImageFormat* find_format_of(std::string_view name) {
    const std::string extension = lowered_extension_of(name);
    const auto found =
        std::ranges::find(kFormats, extension == "jpeg" ? "jpg" : std::string_view(extension), &ImageFormat::extension);
    return found == std::end(kFormats) ? nullptr : found;
}

const char* find_decoder(std::string_view type) {
    if (type == "image/png")
        return "PNG";
    if (type == "image/jpeg")
        return "JPEG";
    if (type == "image/x-tga")
        return "TGA";
    if (type == "image/bmp")
        return "BMP";
    return nullptr;
}

// ---- Parameters -----------------------------------------------------------------------------------------------------

struct ImageOptions {
    std::optional<double> scale;
    std::optional<std::int64_t> width_max;
    std::optional<std::int64_t> height_max;
    const ImageFormat* format = nullptr;  // as the output's name says, else as the source
    std::int64_t quality = 90;
};

std::optional<double> number_of(const ParameterValue& value) {
    if (const auto* const integer = std::get_if<std::int64_t>(&value))
        return static_cast<double>(*integer);
    if (const auto* const number = std::get_if<double>(&value))
        return *number;
    return std::nullopt;
}

Status verify_integer(const ParameterValue& value, std::int64_t most, std::string_view what) {
    const auto* const integer = std::get_if<std::int64_t>(&value);
    if (integer && *integer >= 1 && *integer <= most)
        return ok();
    return Error(ErrorCode::malformed, std::string(what) + " is an integer from 1 to " + std::to_string(most) +
                                           "; write parameters = { width = 512 }");
}

Status verify_image_parameter(std::string_view key, const ParameterValue& value) {
    if (key == "scale") {
        const auto number = number_of(value);
        return number && *number > 0 && *number <= kScaleMax
                   ? ok()
                   : Status(Error(ErrorCode::malformed,
                                  "a scale is a number above 0, at most 16; write parameters = { scale = 0.5 }"));
    }
    if (key == "format") {
        const auto* const text = std::get_if<std::string>(&value);
        return text && find_format(*text)
                   ? ok()
                   : Status(Error(ErrorCode::malformed,
                                  "a format is one of png, jpeg and tga; write parameters = { format = \"png\" }"));
    }
    return key == "quality" ? verify_integer(value, 100, "a quality")
                            : verify_integer(value, kSideMax, "a " + std::string(key));
}

Result<ImageOptions> options_of(const Processor& processor) {
    ImageOptions options;
    for (const auto& parameter : processor.parameters) {
        if (Status good = verify_image_parameter(parameter.first, parameter.second); !good)
            return std::move(good).error().with_context("'" + printable(parameter.first) + "'");
        const auto* const integer = std::get_if<std::int64_t>(&parameter.second);
        if (parameter.first == "scale")
            options.scale = number_of(parameter.second);
        else if (parameter.first == "format")
            options.format = find_format(std::get<std::string>(parameter.second));
        else if (parameter.first == "width")
            options.width_max = *integer;
        else if (parameter.first == "height")
            options.height_max = *integer;
        else
            options.quality = *integer;
    }
    return options;
}

// ---- The library ----------------------------------------------------------------------------------------------------

// Limits are the library's own, one set for the whole program.
void start_library() {
    static std::once_flag once;
    std::call_once(once, [] {
        ExceptionInfo ignored;
        ::GetExceptionInfo(&ignored);
        ::InitializeMagickEx(nullptr, MAGICK_OPT_NO_SIGNAL_HANDER, &ignored);
        ::DestroyExceptionInfo(&ignored);
        ::SetMagickResourceLimit(PixelsResource, kPixelsMax);
        ::SetMagickResourceLimit(WidthResource, kSideMax);
        ::SetMagickResourceLimit(HeightResource, kSideMax);
        ::SetMagickResourceLimit(MemoryResource, kMemoryBytesMax);
    });
    ::SetMagickResourceLimit(ThreadsResource,
                             1);  // of the calling thread alone (OpenMP); jobs run side by side already
}

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

std::unique_ptr<ImageInfo, DestroyInfo> info_for(const char* coder) {
    std::unique_ptr<ImageInfo, DestroyInfo> info(::CloneImageInfo(nullptr));
    std::strncpy(info->magick, coder, sizeof info->magick - 1);
    return info;
}

// ---- One image ------------------------------------------------------------------------------------------------------

Result<ImagePointer> decode(const std::string& bytes, const char* coder) {
    Problem problem;
    const auto info = info_for(coder);
    ImagePointer image(::BlobToImage(info.get(), bytes.data(), bytes.size(), problem.get()));
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

Status resize(ImagePointer& image, const ImageOptions& options) {
    double factor = options.scale.value_or(1);
    const auto columns = static_cast<double>(image->columns);
    const auto rows = static_cast<double>(image->rows);
    if (options.width_max)
        factor = std::min(factor, static_cast<double>(*options.width_max) / columns);
    if (options.height_max)
        factor = std::min(factor, static_cast<double>(*options.height_max) / rows);
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

Status encode(ImagePointer& image, const ImageFormat& format, std::int64_t quality, const JobFolder& folder,
              const std::string& name) {
    ::StripImage(image.get());  // profiles, comments
    ::SetImageAttribute(image.get(), nullptr, nullptr);
    image->compression = std::string_view(format.coder) == "JPEG" ? JPEGCompression : NoCompression;
    image->interlace = NoInterlace;
    image->x_resolution = image->y_resolution = 0;
    std::strncpy(image->magick, format.coder, sizeof image->magick - 1);
    const auto info = info_for(format.coder);
    info->compression = image->compression;
    info->interlace = NoInterlace;
    info->quality = std::string_view(format.coder) == "JPEG" ? static_cast<unsigned long>(quality)
                                                             : 95;  // PNG: level 9, filter by row
    Problem problem;
    std::size_t length = 0;
    const std::unique_ptr<void, FreeBytes> bytes(::ImageToBlob(info.get(), image.get(), &length, problem.get()));
    if (!bytes || length == 0)
        return problem.error("the image cannot be encoded");
    return folder.write_output(name, {static_cast<const std::byte*>(bytes.get()), length});
}

const ImageFormat* format_for(const ImageOptions& options, const Job& job, std::string_view source) {
    if (options.format)
        return options.format;
    return find_format_of(job.outputs.empty() ? source : std::string_view(job.outputs.front()));
}

std::string usual_name(std::string_view source, const ImageFormat& format) {
    if (find_format_of(source) == &format)
        return std::string(source);
    const std::size_t dot = source.rfind('.');
    const bool has_extension = dot != std::string_view::npos && source.find('/', dot) == std::string_view::npos;
    return std::string(source.substr(0, has_extension ? dot : source.size())) + "." + std::string(format.extension);
}

Status convert(const Job& job, const JobFolder& folder, const std::stop_token& stop) {
    FARDEL_TRY_ASSIGN(const JobInput* const source, only_source(job));
    FARDEL_TRY_ASSIGN(const ImageOptions options, options_of(*job.processor));
    const ImageFormat* const format = format_for(options, job, source->name.view());
    if (!format)
        return Error(ErrorCode::malformed,
                     "the name of the output does not tell a format; write parameters = { format = \"png\" }");
    FARDEL_TRY_ASSIGN(const std::string name, only_output(job, usual_name(source->name.view(), *format)));
    FARDEL_TRY_ASSIGN(const auto bytes, folder.find_text("in/" + source->name.text(), kSourceBytesMax));
    const std::string_view type = content_type(
        source->name.view(), std::as_bytes(std::span(*bytes)).first(std::min(bytes->size(), kContentHeadBytes)));
    const char* const decoder = find_decoder(type);
    if (!decoder)
        return Error(ErrorCode::malformed,
                     "the built-in 'image' takes PNG, JPEG, TGA and BMP, and this is " + printable(type));
    start_library();
    FARDEL_TRY_ASSIGN(ImagePointer image, decode(*bytes, decoder));
    FARDEL_TRY(turn_upright(image));
    if (stop.stop_requested())
        return Error(ErrorCode::cancelled, "stopped");
    FARDEL_TRY(resize(image, options));
    return encode(image, *format, options.quality, folder, name);
}

}  // namespace

// The library's version decides the bytes as well.
const Builtin kImageBuiltin = {.name = "image",
                               .version = [] { return std::string("1, GraphicsMagick ") + MagickLibVersionText; },
                               .parameters = kParameters,
                               .any_parameter = false,
                               .verify_parameter = verify_image_parameter,
                               .run = convert};

}  // namespace fardel
