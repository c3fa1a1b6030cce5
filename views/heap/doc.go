// Package heap has the screens of heap snapshots: Snapshots, Types, Frames, Dominators, Object and the comparison side
// by side.
package heap
