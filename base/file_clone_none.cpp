#include <fardel/base/file_clone.h>

namespace fardel {

Result<bool> clone_file(const Descriptor&, const Descriptor&, std::string_view) { return false; }

}  // namespace fardel
