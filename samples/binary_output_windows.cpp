// Linked into every sample on Windows: what a sample writes to its standard output arrives as it is. Without this, the
// C library of Windows writes CR LF for each line feed, which damages an asset.
#include <fcntl.h>
#include <io.h>

#include <cstdio>

namespace {

[[maybe_unused]] const int kEarlierMode = _setmode(_fileno(stdout), _O_BINARY);

}  // namespace
