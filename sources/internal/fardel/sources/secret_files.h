// Secrets that lie beside content: keys, passwords and tokens that nobody means to pack or to show to a program.
//
// Some have names by which they are known, such as ".env" and "id_rsa". Others are known by their first bytes: secret
// keys of Fardel, of minisign and in PEM, and the configuration of npm with a token.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/bundle_plan.h>
#include <fardel/sources/source_scan.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace fardel {

inline constexpr std::uint64_t kSecretFileBytesMax = 16u << 10;  // larger files are content
inline constexpr std::size_t kSecretStartBytes = 1024;

// `name`: a path or its last part, in any case.
bool has_secret_name(std::string_view name);
// `start`: the first kSecretStartBytes of a file, or all of it if it is shorter.
bool looks_like_secret_key(std::string_view start);

// Refuses secrets among the entries, except those whose names `allowed` has. A name is judged now, bytes when they are
// read: then opening the blob fails, and no file is read twice. Error, of both: denied (it names the file).
Status refuse_secrets(ScanResult& scan, std::span<const std::string> allowed);

// Of a blob that was opened since refuse_secrets(): the blob itself, which needs no judge any more, because it fails if
// its bytes change. Each of a million small files has a judge.
std::shared_ptr<const BlobSource> without_judge(std::shared_ptr<const BlobSource> blob);

}  // namespace fardel
