// Package symbols finds the functions at addresses, for loaders of recordings with addresses and the modules that were
// mapped.
//
// A loader keeps one [Table] while it reads. It adds and removes modules as the recording does, and converts each
// address to an ID at once, as the same address may belong to another module later. At the end [Table.Resolve] looks
// everything up, one module at a time:
//
//	t := symbols.NewTable(opt.Symbols)
//	t.Add(symbols.Module{Path: "/usr/bin/shop", Base: 0x5612f4211000, Segments: segments})
//	id := t.Address(0x5612f42137a0, false)
//	…
//	problems, err := t.Resolve(ctx)
//	for _, f := range t.Frames(id) { … } // leaf first; none if nothing is known: t.Why(id) is the reason
//
// # Which file
//
// A module's file is searched in the folders given by the user, then in the sysroot, or at the path in the recording.
// It must be the recorded file: of the same build id or, if the recording has none, with segments of the same sizes.
// Another file yields no names at all, as wrong names are worse than none. If the file has no DWARF, its debug file is
// used: found by build id, or by .gnu_debuglink, whose checksum must match. Split debug information in .dwo files or a
// package (.dwp), and common parts that dwz moved to a shared file, are found next to it or in the user's folders, and
// must have the right ID; if they are missing, a problem reports that, and the symbol tables are used. Servers are
// queried only if the user named some.
//
// # Which names
//
// DWARF has functions, with those inlined into them, files and lines. Without it the symbol tables have functions. A
// symbol counts only within its size: the nearest one may be another function altogether. Names are demangled (Itanium
// C++, Rust) if possible and otherwise stay raw.
//
// Results are cached by the binary's build id, if there is a cache, and read again if the debug file is another one.
//
// Return addresses are after the call: the byte before is looked up for them.
package symbols
