#include <fardel/base/ascii.h>
#include <fardel/format/name.h>
#include <fardel/format/tag.h>

namespace fardel {

Result<Tag> parse_tag(std::string_view text) {
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos || !is_word(text.substr(0, equals)) || !is_word(text.substr(equals + 1)))
        return Error(ErrorCode::malformed, "\"" + printable(text, 100) +
                                               "\": a tag is written as AXIS=VALUE, for example lang=de, in " +
                                               std::string(kTagWordCharacters));
    return Tag{.axis = std::string(text.substr(0, equals)), .value = std::string(text.substr(equals + 1))};
}

}  // namespace fardel
