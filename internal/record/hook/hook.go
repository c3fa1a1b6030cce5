// Package hook holds the library that memtui record preloads into programs, built for each machine by src/build.sh.
package hook

import _ "embed"

// Source is what the library is built of, for a machine that none was built for.
//
//go:embed src/hook.c
var Source string

// Flags are what compilers are given.
//
//go:embed src/flags
var Flags string

// Unwinder, Python and Attach are the files that Source includes.
//
//go:embed src/unwind.h
var Unwinder string

//go:embed src/python.h
var Python string

//go:embed src/attach.h
var Attach string
