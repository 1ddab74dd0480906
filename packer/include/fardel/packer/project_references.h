// What a project file says about linking and splitting: [link], [split] and [[scanner]]. docs/linking.md is the manual.
#pragma once

#include <fardel/packer/processor.h>
#include <fardel/packer/references.h>
#include <fardel/packer/split.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fardel {

// What replaces a spelling in a text.
enum class RewriteTo : std::uint8_t {
    ids,    // /assets/<asset id>
    names,  // the exact name of the file, spelled as the format wants it
};

struct ProjectReferences {
    std::vector<std::string> roots;  // globs, as ResolveOptions has them
    std::vector<std::string> used;
    std::vector<std::string> consumed;
    bool link_tables = true;           // link tables are written
    std::vector<std::string> rewrite;  // globs over names of texts
    RewriteTo rewrite_to = RewriteTo::ids;
    std::uint32_t rewrite_line = 0;  // of 'rewrite'
    bool missing_fails = false;      // a build with a missing reference
};

// [[scanner]]: what else the files that `match` matches name.
struct ProjectScanner {
    std::string match;    // glob over names
    std::string pattern;  // as PatternScanner takes it; empty: `program`
    Processor program;    // its command, version, code, inputs and timeout; answers as parse_scanner_answers takes it
    ReferenceUse use = ReferenceUse::file;  // these three: of what a program finds, where it does not say
    ReferenceForm form = ReferenceForm::from_root;
    bool optional = false;
    std::uint32_t line = 0;
};

}  // namespace fardel
