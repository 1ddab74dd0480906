// The sub-verbs of fardel registry, one file each; docs/registry.md is their manual.
#pragma once

#include "console/command_line.h"

namespace fardel {

Result<Exit> run_registry_init(Words words, Console& console);
Result<Exit> run_registry_fsck(Words words, Console& console);
Result<Exit> run_registry_recall(Words words, Console& console);
Result<Exit> run_registry_transfer(Words words, Console& console);
Result<Exit> run_registry_sign(Words words, Console& console);

}  // namespace fardel
