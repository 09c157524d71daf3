"""The version of this package, which the build reads here."""

VERSION = "0.1.0"
