// Package rubyheap reads heap dumps of Ruby, as written by ObjectSpace.dump_all of objspace, of CRuby 2.1 and later,
// with and without traced allocations, shapes and empty slots.
//
// # Grammar
//
// A line is an object of JSON:
//
//	roots  = {"type":"ROOT", "root":category, "references":[address …]}
//	shape  = {"address":…, "type":"SHAPE", "id":n, "parent_id":n, "shape_type":"IVAR", "edge_name":name, …}
//	object = {"address":address, "type":TYPE, ["shape_id":n,] ["class":address,] … ["references":[address …],]
//	          ["file":path, "line":n, ["method":name,] "generation":n,] ["memsize":bytes,] "flags":{…}}
//	address = "0x" hex digits
//
// Members are in any order. The references of an object do not include its class. A string that shares its text, or has
// other than seven-bit characters, has no value.
//
// # Rows
//
// Row 0 is the root, followed by a row for each category of roots, then the objects in the order of the file. The first
// reference of an object is its class, except for IMEMO and NODE, whose class is an internal name of the interpreter.
// Slots of type NONE are empty: they are counted, but are not objects.
//
// # What real writers do
//
// Names of classes, files and methods are not escaped, and for a method's name beyond ASCII, bytes of the writer's own
// memory are written. Such lines are not JSON: the members before the name are read, and the numbers after it. Output
// of the program may be between lines, and before the object of a line.
//
// # Rules
//
// The validator's rules, which are also the codes of problems. Errors: truncated, line, duplicate-id. Warnings:
// salvaged-line, foreign-line, dangling-reference, superclass, no-roots, line-length, name-length. Notes: empty-slots.
package rubyheap
