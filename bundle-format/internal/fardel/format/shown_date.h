// A day as people read it in messages.
#pragma once

#include <fardel/base/unix_time.h>

#include <string>

namespace fardel {

// "2027-01-15 UTC"
std::string shown_date(UnixTime date);

}  // namespace fardel
