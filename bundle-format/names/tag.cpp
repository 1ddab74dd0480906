#include <fardel/format/tag.h>

#include <fardel/base/ascii.h>

namespace fardel {

bool is_tag_word(std::string_view text) noexcept { return is_word(text); }

}  // namespace fardel
