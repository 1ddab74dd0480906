// Converts images. The bytes of the source determine its kind; the program fardel-image decodes, resizes and encodes.

#include "builtin.h"
#include "image_program.h"

#include <fardel/base/ascii.h>
#include <fardel/sources/entry_plan.h>

#include <algorithm>
#include <optional>

namespace fardel {
namespace {

constexpr std::size_t kSourceBytesMax = std::size_t{512} << 20;
constexpr long kSideMax = 32'768;
constexpr double kScaleMax = 16;

constexpr std::string_view kParameters[] = {"scale", "width", "height", "format", "quality"};

struct ImageFormat {
    std::string_view name;  // of the parameter
    std::string_view extension;
};
constexpr ImageFormat kFormats[] = {{"png", "png"}, {"jpeg", "jpg"}, {"tga", "tga"}};

const ImageFormat* find_format(std::string_view name) {
    const auto found = std::ranges::find(kFormats, name, &ImageFormat::name);
    return found == std::end(kFormats) ? nullptr : found;
}

const ImageFormat* find_format_of(std::string_view name) {
    const std::size_t dot = name.rfind('.');
    const std::string extension = lower_ascii_text(dot == std::string_view::npos ? "" : name.substr(dot + 1));
    const auto found =
        std::ranges::find(kFormats, extension == "jpeg" ? "jpg" : std::string_view(extension), &ImageFormat::extension);
    return found == std::end(kFormats) ? nullptr : found;
}

// Returns fardel-image's word for a content type; empty if it does not read that type.
std::string_view find_decoder(std::string_view type) {
    if (type == "image/png")
        return "png";
    if (type == "image/jpeg")
        return "jpeg";
    if (type == "image/x-tga")
        return "tga";
    if (type == "image/bmp")
        return "bmp";
    return {};
}

// ---- Parameters -----------------------------------------------------------------------------------------------------

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

// `to` is empty if no parameter names a format.
Result<ImageRequest> request_of(const Processor& processor) {
    ImageRequest request;
    for (const auto& parameter : processor.parameters) {
        if (Status good = verify_image_parameter(parameter.first, parameter.second); !good)
            return std::move(good).error().with_context("'" + printable(parameter.first) + "'");
        const auto* const integer = std::get_if<std::int64_t>(&parameter.second);
        if (parameter.first == "scale")
            request.scale = *number_of(parameter.second);
        else if (parameter.first == "format")
            request.to = find_format(std::get<std::string>(parameter.second))->name;
        else if (parameter.first == "width")
            request.width_max = *integer;
        else if (parameter.first == "height")
            request.height_max = *integer;
        else
            request.quality = *integer;
    }
    return request;
}

// ---- One image ------------------------------------------------------------------------------------------------------

// From the parameter, otherwise from the output's name, otherwise from the source.
const ImageFormat* format_for(const ImageRequest& request, const ProcessorJob& job, std::string_view source) {
    if (!request.to.empty())
        return find_format(request.to);
    return find_format_of(job.outputs.empty() ? source : std::string_view(job.outputs.front()));
}

std::string usual_name(std::string_view source, const ImageFormat& format) {
    if (find_format_of(source) == &format)
        return std::string(source);
    const std::size_t dot = source.rfind('.');
    const bool has_extension = dot != std::string_view::npos && source.find('/', dot) == std::string_view::npos;
    return std::string(source.substr(0, has_extension ? dot : source.size())) + "." + std::string(format.extension);
}

Status convert(const ProcessorJob& job, const JobFolder& folder, const JobEnvironment& environment) {
    FARDEL_TRY_ASSIGN(const JobInput* const source, only_source(job));
    FARDEL_TRY_ASSIGN(ImageRequest request, request_of(job.processor));
    const ImageFormat* const format = format_for(request, job, source->name.view());
    if (!format)
        return Error(ErrorCode::malformed,
                     "the name of the output does not show a format; write parameters = { format = \"png\" }");
    FARDEL_TRY_ASSIGN(const std::string name, only_output(job, usual_name(source->name.view(), *format)));
    if (source->size_bytes > kSourceBytesMax)
        return Error(ErrorCode::limit, "the image has more than " + std::to_string(kSourceBytesMax) + " bytes");
    FARDEL_TRY_ASSIGN(const std::string_view type, read_content_type(source->name.view(), *source->blob));
    request.from = find_decoder(type);
    if (request.from.empty())
        return Error(ErrorCode::malformed,
                     "the built-in 'image' takes PNG, JPEG, TGA and BMP, and this is " + printable(type));
    FARDEL_TRY_ASSIGN(const std::string program, find_image_program(environment.image_program));
    FARDEL_TRY(folder.new_output_path(name));
    request.in = "in/" + source->name.text();
    request.out = "out/" + name;
    request.to = format->name;
    return run_image_program(program, request, folder, environment.stop);
}

}  // namespace

// The decoder's version also determines the bytes. It is in code_digest, since another version may be installed at any
// time.
const Builtin kImageBuiltin = {.name = "image",
                               .version = "2",
                               .parameters = kParameters,
                               .verify_parameter = verify_image_parameter,
                               .run = convert};

}  // namespace fardel
