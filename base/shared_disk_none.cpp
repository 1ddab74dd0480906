// What file systems do with names and locks is known only for Linux.
#include <fardel/base/shared_disk.h>

namespace fardel {

bool may_be_shared(const Descriptor&) noexcept { return true; }
void refresh_names(const FileLocation&) noexcept {}
bool was_replaced(const Error&) noexcept { return false; }
std::optional<std::string> find_unseen_locks(const Descriptor&) { return std::nullopt; }
std::optional<std::string> find_smb(const Descriptor&) { return std::nullopt; }
bool has_unseen_locks(std::string_view, std::string_view) noexcept { return false; }
bool is_smb(std::string_view) noexcept { return false; }

}  // namespace fardel
