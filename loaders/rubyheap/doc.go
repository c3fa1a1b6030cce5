// Package rubyheap reads heap dumps of Ruby: what ObjectSpace.dump_all of objspace writes, of CRuby 2.1 and later, with
// and without traced allocations, shapes and empty slots.
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
// Members stand in any order. The references of an object leave its class out. A string that shares its text, or is not
// of seven bits, has no value.
//
// # Rows
//
// Row 0 is the root, followed by a row for each category of roots, then the objects in the order of the file. The first
// reference of an object is its class, but for IMEMO and NODE, whose class is a word of the interpreter's own. Slots of
// type NONE are empty: they are counted, and are no objects.
//
// # What real writers do
//
// Names of classes, files and methods are not escaped, and of a method's name beyond ASCII bytes of the writer's own
// memory are written. Such lines are not JSON: what stands before the name is read, and the numbers after it. The
// output of the program may stand between lines, and before the object of a line.
//
// # Rules
//
// The validator's rules, which are also the codes of problems. Errors: truncated, line, duplicate-id. Warnings:
// salvaged-line, foreign-line, dangling-reference, superclass, no-roots, line-length, name-length. Notes: empty-slots.
package rubyheap
