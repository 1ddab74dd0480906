#include <fardel/base/file_path.h>

#include <utility>

namespace fardel {

// Paths lead nowhere, and nobody asks whether they have a root.
FilePath FilePath::of_root(std::string root, std::shared_ptr<const Descriptor>) { return FilePath(std::move(root)); }
FilePath FilePath::operator/(std::string_view name) const { return FilePath(text_ + '/' + std::string(name)); }
FilePath FilePath::cut(std::size_t size) const { return FilePath(text_.substr(0, size)); }
FilePath FilePath::folder() const { return cut(text_.find_last_of('/') == std::string::npos ? 0 : text_.rfind('/')); }

}  // namespace fardel
