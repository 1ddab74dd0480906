// The names of what a processor makes of a file, by its templates. Pure; any thread.
#pragma once

#include <fardel/format/name.h>
#include <fardel/format/result.h>
#include <fardel/packer/processor.h>

#include <string>
#include <string_view>
#include <vector>

namespace fardel {

// Of "textures/wall.hd.tga": {folder} "textures/" (empty for a name of one part), {stem} "wall.hd", {extension} "tga",
// {name} "wall.hd.tga". Error: malformed, for what is no template; what stands in it is not judged otherwise.
Status verify_output_template(std::string_view text);
// Well-formed names, in the order of `outputs`; none if that is empty. Errors: malformed, limit (a name that breaks the
// rules), conflict (two alike).
Result<std::vector<std::string>> output_names(const Processor& processor, const AssetName& source);

}  // namespace fardel
