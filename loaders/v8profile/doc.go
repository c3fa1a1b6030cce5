// Package v8profile reads sampling profiles of V8: .heapprofile and .cpuprofile, which Node.js, Chrome and Deno write.
//
// # Grammar
//
//	heapprofile = {head: node, samples: [{size, nodeId, ordinal}*]}                        JSON
//	node        = {callFrame, selfSize, id, children: [node*]}
//	cpuprofile  = {nodes: [cpunode*], startTime, endTime, samples: [id*], timeDeltas: [us*]}
//	            | {head: oldnode, startTime, endTime, samples: [id*], timestamps: [us*]}
//	cpunode     = {id, callFrame, hitCount, children: [id*], parent: id}
//	oldnode     = {functionName, scriptId, url, lineNumber, columnNumber, hitCount, id, children: [oldnode*]}
//	callFrame   = {functionName, scriptId, url, lineNumber, columnNumber}                  from 0; -1 is none
//
// # What real writers do
//
// Lines and columns of a callFrame count from 0: they are shown as editors count, from 1. Functions without a name are
// shown as anonymous. The samples of a heap profile do not add up to the sizes of its nodes, and name missing nodes:
// the tree is correct. The file does not state whether sizes include objects that were collected since. The hits of a
// CPU profile are recounted from its samples, as the nodes may have one more. Old files have neither ids nor samples.
//
// # Reading
//
// Trees are read without recursion, as they may be deeper than any stack.
//
// # Rules
//
// The validator's rules, which are also the codes of problems. json, node (without an object, or with a missing
// parent), samples (of a missing node; as many as times). For parts that a limit left out: stack-depth, name-length.
package v8profile
