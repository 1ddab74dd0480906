// Names, paths and words in messages, in quotes and printable: in_quotes and in_short_quotes.
#pragma once

#include <fardel/format/name.h>
#include <fardel/format/printable.h>
