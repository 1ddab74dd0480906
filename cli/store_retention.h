// The sub-verbs of `fardel store` that decide what a store keeps: pin, unpin, rm, gc, stats.
#pragma once

#include "verbs.h"

namespace fardel {

Result<Exit> run_store_pin(Words words, Console& console);
Result<Exit> run_store_unpin(Words words, Console& console);
Result<Exit> run_store_rm(Words words, Console& console);
Result<Exit> run_store_gc(Words words, Console& console);
Result<Exit> run_store_stats(Words words, Console& console);

}  // namespace fardel
