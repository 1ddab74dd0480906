"""The version of this package: that of the C libraries that it was made with."""

VERSION = "0.1.0"
