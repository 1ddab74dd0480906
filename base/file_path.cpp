#include <fardel/base/file_path.h>

#include <fardel/base/folder.h>

#include <algorithm>
#include <utility>

namespace fardel {

FilePath FilePath::of_root(std::string root, std::shared_ptr<const Descriptor> held) {
    while (root.size() > 1 && root.back() == '/')
        root.pop_back();
    FilePath path(std::move(root));
    path.root_size_ = path.text_.size();
    path.held_ = std::move(held);
    return path;
}

FilePath FilePath::operator/(std::string_view name) const {
    FilePath below = *this;
    if (!below.text_.ends_with('/'))  // the root may be "/"
        below.text_ += '/';
    below.text_ += name;
    return below;
}

FilePath FilePath::cut(std::size_t size) const {
    FilePath shorter = *this;
    shorter.text_.resize(std::min(size, text_.size()));
    return shorter;
}

FilePath FilePath::folder() const {
    std::string above = folder_of_path(text_);
    return root_size_ == 0 || above.size() < root_size_ ? FilePath(std::move(above)) : cut(above.size());
}

}  // namespace fardel
