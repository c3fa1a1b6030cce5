// Package pure holds the tracer of Python programs that needs no hook: a module of Python, and what starts it in a program
// that does not import it.
package pure

import _ "embed"

// Module is the tracer, which programs may import.
//
//go:embed memtui_trace.py
var Module string

// Starter starts it where Python starts.
//
//go:embed sitecustomize.py
var Starter string
