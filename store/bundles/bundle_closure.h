// A bundle and all its static dependencies, wherever they are.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/byte_source.h>
#include <fardel/format/ids.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

// Returns the bytes of a bundle; nullptr if it is not here.
using FindBundleSource = std::function<Result<std::shared_ptr<const ByteSource>>(const BundleId&)>;

// Returns the bundle and all its static dependencies, each after those that it needs. `where` names what was searched
// in messages: "the store /srv/store". Errors: missing (the first bundle), unresolved (names all others that are
// missing), limit, those of `find` and Bundle::open.
Result<std::vector<BundleId>> collect_closure(const BundleId& first, const FindBundleSource& find,
                                              const std::string& where);

// Whether a text can begin the id of a bundle: at least 8 of the 64 lower-case hexadecimal digits. Error: malformed.
Status verify_id_digits(std::string_view digits);

}  // namespace fardel
