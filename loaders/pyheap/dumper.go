package pyheap

import _ "embed"

// dumper is the Python module that writes dumps.
//
//go:embed heapdump.py
var dumper []byte
