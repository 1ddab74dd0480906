# Doxygen reads the public headers through this: their plain comments become documentation, and the first comment of a
# header describes the file.

# A line of // ---- is a heading for readers of the source.
s|^ *// ----.*$||
# What Doxygen would take for markup.
:escape
s#((//|/\*| \*).*[^\\])([<>@])#\1\\\3#
tescape
s|^( *)// ?(.*)$|\1/// \2|
s|([;,{}]) +// (.*)$|\1  ///< \2|
s|^( *)/\* |\1/** |
s|([;,]) +/\* |\1  /**< |
1s|^/// |/// \\file\n/// |
1s|^/\*\* |/** \\file\n * |
# Doxygen 1.9 takes specialisations for other people's namespaces as a mistake of its own.
/^struct std::hash/,/^};/d
