// fardel-image converts one image. The packer starts it, confined, for each job of the built-in "image". It is not for
// people, and its arguments may change with every version.
//
//   fardel-image version
//   fardel-image convert IN OUT FROM TO SCALE WIDTH HEIGHT QUALITY      (0: no such limit)
//
// On success it prints nothing; otherwise it prints "CODE MESSAGE" on standard output and exits with status 1.
#include "image_conversion.h"

#include <fardel/base/own_program_main.h>

#include <charconv>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <string_view>

namespace fardel {
namespace {

int report(const Error& error) {
    std::printf("%s %s\n", std::string(error_code_name(error.code())).c_str(), error.message().c_str());
    return kOwnProgramFailed;
}

template <class Number>
bool parse(std::string_view text, Number& number) {
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    return failure == std::errc() && end == text.data() + text.size();
}

std::optional<ImageConversion> parse_conversion(std::span<char* const> words) {
    const auto from = find_image_kind(words[0]);
    const auto to = find_image_kind(words[1]);
    ImageConversion conversion;
    if (!from || !to || !parse(words[2], conversion.scale) || !parse(words[3], conversion.width_max) ||
        !parse(words[4], conversion.height_max) || !parse(words[5], conversion.quality))
        return std::nullopt;
    conversion.from = *from;
    conversion.to = *to;
    return conversion;
}

Status convert(const char* in, const char* out, const ImageConversion& conversion) {
    std::ifstream source(in, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(source), std::istreambuf_iterator<char>()};
    if (!source)
        return Error(ErrorCode::io, "the image cannot be read");
    start_image_library();
    FARDEL_TRY_ASSIGN(const std::string converted, convert_image(std::as_bytes(std::span(bytes)), conversion));
    std::ofstream output(out, std::ios::binary);
    output.write(converted.data(), static_cast<std::streamsize>(converted.size()));
    output.close();
    return output ? ok() : Status(Error(ErrorCode::io, "the converted image cannot be written"));
}

int run(std::span<char* const> words) {
    if (words.size() == 2 && std::string_view(words[1]) == "version") {
        std::printf("%s\n", image_library_version().c_str());
        return 0;
    }
    if (words.size() != 10 || std::string_view(words[1]) != "convert")
        return kOwnProgramBadArguments;
    const auto conversion = parse_conversion(words.subspan(4));
    if (!conversion)
        return kOwnProgramBadArguments;
    const Status converted = convert(words[2], words[3], *conversion);
    return converted ? 0 : report(converted.error());
}

}  // namespace
}  // namespace fardel

int main(int count, char** words) { return fardel::run({words, static_cast<std::size_t>(count)}); }
