// Package v8heap reads heap snapshots of V8: .heapsnapshot as Node.js, Chromium, Electron and Deno write them, and
// .heaptimeline, which also has where and when objects were allocated. Other runtimes, such as Bun and Julia, write the
// same format.
//
// # Grammar
//
// A file is one JSON object. Line breaks are insignificant.
//
//	"snapshot": {"meta": {…}, "node_count": n, "edge_count": n, …}   names the columns and types of the other members
//	"nodes": [numbers]                 a row for each object; columns by name: type name id self_size edge_count …
//	"edges": [numbers]                 type name_or_index to_node, in the order of the nodes that they leave
//	"trace_function_infos": [numbers]  functions of stacks
//	"trace_tree": [numbers, [children]]
//	"samples": [numbers]               times, and the last id assigned until then
//	"strings": ["…"]                   names, referred to by index
//
// Unknown members and columns are skipped. A node is referred to by the index of its first number. The name of an
// element or of a hidden reference is an index, that of any other reference is a string.
//
// # Rows
//
// A row is a node, row 0 the root. Sizes are self_size, except for the policy devtools: there objects include the
// hidden rows and arrays that they alone own, as in Chrome DevTools.
//
// # Policies
//
// plain leaves out weak references, and shortcuts of rows other than the root. devtools also leaves out references of a
// row to itself, those of the table of a WeakMap to its values, and those from rows outside of the page into it. Rows
// that no other reference reaches are unreachable; as in Chrome DevTools they keep their targets alive as if the root
// referred to them.
//
// # What real writers do
//
// Characters beyond 16 bits are cut to 16, lone surrogates are "???", and texts of strings end after 1,024 characters.
// Tools save files again with other line breaks and indentation.
//
// # Rules
//
// The validator's rules, which are also the codes of problems. Errors: json, snapshot, fields, numbers, truncated,
// edge-count, edges, strings. Warnings: node-count, dangling-reference, unknown-type, trace.
package v8heap
