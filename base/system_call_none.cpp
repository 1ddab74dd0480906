#include <fardel/base/file.h>

namespace fardel {

void begin_sync(const Descriptor&) noexcept {}

}  // namespace fardel
