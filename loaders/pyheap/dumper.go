package pyheap

import _ "embed"

//go:embed heapdump.py
var dumper []byte

// Dumper returns the source of the Python module that writes dumps; the caller must not change it.
func Dumper() []byte { return dumper }
