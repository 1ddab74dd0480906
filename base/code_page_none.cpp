#include <fardel/base/code_page.h>

namespace fardel {

struct CodePage::System {};

std::optional<CodePage> CodePage::find(const std::string&) { return std::nullopt; }

std::optional<std::string> CodePage::decode(std::string_view) const { return std::nullopt; }

}  // namespace fardel
