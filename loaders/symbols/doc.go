// Package symbols names the code at addresses: for loaders of recordings that hold addresses and the modules that were
// mapped there.
//
// A loader keeps one [Table] while it reads. It adds and forgets modules as the recording says, and turns each address
// into an ID at once, as the same address may belong to another module later. At the end [Table.Resolve] looks
// everything up, a module at a time:
//
//	t := symbols.NewTable(opt.Symbols)
//	t.Add(symbols.Module{Path: "/usr/bin/shop", Base: 0x5612f4211000, Segments: segments})
//	id := t.Address(0x5612f42137a0, false)
//	…
//	problems, err := t.Resolve(ctx)
//	for _, f := range t.Frames(id) { … } // leaf first; none where nothing is known: t.Why(id) says why
//
// # Which file
//
// A module's file is looked for in the folders that the user named, then in the sysroot, or at the path that the
// recording says. It must be the file that was recorded: of the same build id, or, where the recording tells none, of
// segments of the same sizes. A file that is not gives no names at all, as wrong names are worse than none. Where the
// file has no DWARF, that is read from its debug file: by build id, or by .gnu_debuglink, whose checksum must fit. What
// split debug information moved to .dwo files or a package (.dwp), and what dwz moved to a file that several share, is
// found beside it or where the user says, and must have the ID that is asked for; where it is not there, a problem says
// so, and symbols give the names. Others are asked for files only where the user named servers.
//
// # Which names
//
// DWARF gives functions, with those inlined into them, files and lines. Without it the symbol tables give functions. A
// symbol counts only as far as its size says: the nearest one may be another function altogether. Names are demangled
// (Itanium C++, Rust) where that works and stay raw where it does not.
//
// What was found is kept by the binary's build id, where there is a cache, and read again when the debug file is
// another.
//
// Addresses that a caller returns to lie after the call: the byte before is looked up for them.
package symbols
