// Package pyheap reads heap dumps of Python, as written by the module that `memtui heap dumper python` prints, and by
// Midden.
//
// # Grammar
//
// A line is an object of JSON:
//
//	header = {"format":"memtui-pydump", "version":1, "python":…, "implementation":…, "pid":…, "time":seconds since 1970, …}
//	roots  = {"root":kind, "name":text, "refs":[address …], ["keys":[name …],]
//	          ["thread":number, ["thread_name":text, "thread_object":address,] "depth":n, "file":path, "line":n]}
//	object = {"address":address, "type":name, "class":address, "size":bytes, ["len":n,] ["value":text,] ["name":text,] ["gc":1,]
//	          "refs":[address …], ["keys":[name …]]}
//	name   = text | index | null
//
// Addresses are decimal. Keys name the references, one by one; a text is a variable, an attribute or the key of a dict,
// a number is an element. A value is the beginning of a text, of bytes as Latin-1, or a number.
//
// Midden's lines are {"id":…, "type":…, "references":[…], "size":…, "value":…}: without roots, classes and names.
//
// # Rows
//
// Row 0 is the root, followed by a row for each kind of roots, a row for each line of roots, and the objects in the
// order of the file. The class of an object is its last reference, unless another one has the same target. In Midden's
// dumps, the roots are objects without referrers, and modules.
//
// # Rules
//
// The validator's rules, which are also the codes of problems. Errors: version, truncated, line, duplicate-id.
// Warnings: foreign-line, dangling-reference, no-roots, line-length, name-length. Notes: guessed-roots.
package pyheap
