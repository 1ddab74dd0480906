// CodePage: text of earlier programs, by the name of its encoding.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace fardel {

class CodePage {
public:
    // `name`: lower-case letters, digits, '-' and '_', such as "cp437", "windows-1252", "gbk". Returns nothing if the
    // system knows no encoding of this name.
    static std::optional<CodePage> find(const std::string& name);

    // Returns the text in UTF-8; nothing if it is not text of this encoding.
    std::optional<std::string> decode(std::string_view text) const;

private:
    struct System;
    explicit CodePage(std::shared_ptr<const System> system) noexcept : system_(std::move(system)) {}
    std::shared_ptr<const System> system_;
};

}  // namespace fardel
