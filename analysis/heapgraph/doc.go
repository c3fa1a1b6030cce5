// Package heapgraph answers questions about heap snapshots: types and frames, dominators and retained sizes, paths to
// the root, references, and growth over the snapshots of a file.
package heapgraph
