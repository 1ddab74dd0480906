// FilePath: a path as its user named it, or the name of a file below a folder that others may write to, too.
//
// A shared store, cache, registry or published tree is such a folder, the root. It is entered as its user named it.
// Each step below it is taken without following links, unless this process's user or root owns the link: whoever else
// may write there must not lead this process to other files. Any thread.
#pragma once

#include <fardel/base/descriptor.h>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace fardel {

class FilePath {
public:
    FilePath() = default;
    // A path whose links are followed.
    FilePath(std::string path) noexcept : text_(std::move(path)) {}  // NOLINT: implicit on purpose
    FilePath(const char* path) : text_(path) {}                      // NOLINT: implicit on purpose

    // The root, and then what is below it. With `held`, an open descriptor of the root, names are found below it
    // whatever happens to the path. No name may have a part "..".
    static FilePath of_root(std::string root, std::shared_ptr<const Descriptor> held = nullptr);
    FilePath operator/(std::string_view name) const;
    // The same path up to `size` characters, which must not cut the root.
    FilePath cut(std::size_t size) const;
    // The folder of the file; that of a root is found as the root's user named it.
    FilePath folder() const;

    const std::string& text() const noexcept { return text_; }
    operator std::string_view() const noexcept { return text_; }  // NOLINT: the subject of an error
    bool empty() const noexcept { return text_.empty(); }
    void clear() noexcept { *this = FilePath(); }

    std::size_t root_size() const noexcept { return root_size_; }  // 0: there is no root
    const Descriptor* held_root() const noexcept { return held_.get(); }

private:
    std::string text_;  // of a root, and what is below it: "<root>/<name>"
    std::size_t root_size_ = 0;
    std::shared_ptr<const Descriptor> held_;
};

}  // namespace fardel
