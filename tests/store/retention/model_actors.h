// The actors of the retention model: they run the code of the store on a disk in memory.
#pragma once

#include "model_disk.h"

namespace fardel::tests {

// Runs an actor until it pauses (Pause) or has finished. Throws a Violation if something was taken from it.
void run_actor(ModelDisk& disk, int number, Broken broken);

}  // namespace fardel::tests
