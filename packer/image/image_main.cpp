// fardel-image converts one image. The packer starts it, confined, for each job of the built-in "image". It is not for
// people, and its arguments may change with every version.
//
//   fardel-image version
//   fardel-image convert IN OUT FROM TO SCALE WIDTH HEIGHT QUALITY      (0: no such limit)
//
// On success it prints nothing; otherwise it prints "CODE MESSAGE" on standard output and exits with status 1.
#include "image_conversion.h"

#include <fardel/base/file.h>
#include <fardel/base/own_program_main.h>

#include <charconv>
#include <cstddef>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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
    constexpr std::string_view kImage = "the image";
    FARDEL_TRY_ASSIGN(const RegularFile source, open_regular_file(std::string(in), kImage));
    std::vector<std::byte> bytes(static_cast<std::size_t>(source.status.size_bytes));
    FARDEL_TRY_ASSIGN(const std::size_t count, read_whole_at(source.descriptor, 0, bytes, kImage));
    bytes.resize(count);
    start_image_library();
    FARDEL_TRY_ASSIGN(const std::string converted, convert_image(bytes, conversion));
    constexpr std::string_view kConverted = "the converted image";
    FARDEL_TRY_ASSIGN(const Descriptor output, create_file(std::string(out), kConverted));
    return write_whole(output, std::as_bytes(std::span(converted)), kConverted);
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
