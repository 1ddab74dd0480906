// The sub-verbs of fardel channel, one file each; docs/channels.md is their manual.
#pragma once

#include "console/command_line.h"

namespace fardel {

Result<Exit> run_channel_init(Words words, Console& console);
Result<Exit> run_channel_sign(Words words, Console& console);
Result<Exit> run_channel_publish(Words words, Console& console);
Result<Exit> run_channel_release(Words words, Console& console);
Result<Exit> run_channel_head(Words words, Console& console);
Result<Exit> run_channel_rotate(Words words, Console& console);
Result<Exit> run_channel_status(Words words, Console& console);

}  // namespace fardel
