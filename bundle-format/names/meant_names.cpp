#include <fardel/base/ascii.h>
#include <fardel/base/extension.h>
#include <fardel/format/meant_names.h>

#include <algorithm>

namespace fardel {
namespace {

constexpr std::size_t kExtensionBytesMax = 32;

// A file ".cfg" has no other name, and what has other characters is no extension: "v1.0 final".
bool may_lack_extension(std::string_view name) {
    const std::string_view extension = extension_of(name);
    const std::string_view stem = strip_extension(name);
    return !extension.empty() && extension.size() <= kExtensionBytesMax && !stem.empty() && !stem.ends_with('/') &&
           std::ranges::all_of(extension, [](char c) { return is_ascii_letter_or_digit(c) || c == '-' || c == '_'; });
}

bool words_equal_in_any_case(std::string_view a, std::string_view b) {
    return std::ranges::equal(a, b, {}, lower_ascii, lower_ascii);
}

}  // namespace

bool has_extension_of(std::string_view name, std::span<const std::string> extensions) noexcept {
    const std::string_view own = extension_of(name);
    return std::ranges::any_of(extensions, [&](std::string_view one) { return words_equal_in_any_case(one, own); });
}

std::vector<std::string> meant_names(std::span<const std::string> readings, std::span<const std::string> extensions) {
    std::vector<std::string> names;
    const auto add = [&](std::string name) {
        if (std::ranges::find(names, name) == names.end())
            names.push_back(std::move(name));
    };
    for (const std::string& written : readings)
        add(written);
    for (const std::string& written : readings) {
        // An unknown extension is part of the name: "floor.2" is "floor.2.tga".
        const bool known = has_extension_of(written, extensions);
        const std::string stem(known ? strip_extension(written) : std::string_view(written));
        for (const std::string& extension : extensions)
            if (!known || !words_equal_in_any_case(extension, extension_of(written)))
                add(stem + "." + extension);
    }
    for (const std::string& written : readings)
        if (may_lack_extension(written))
            add(std::string(strip_extension(written)));
    return names;
}

std::vector<std::string> meant_names(std::string_view written, std::span<const std::string> extensions) {
    const std::string one(written);
    return meant_names(std::span(&one, 1), extensions);
}

}  // namespace fardel
