// Package suspects says what of a heap a person should look at first: objects of one type that hold much of it, who
// holds them, and whether they become more from snapshot to snapshot.
//
// [Find] looks at one snapshot with its dominators, and at how many objects of each type there are in others, which
// [Count] tells. The same memory is suspected once: of types that hold each other, the one is told that is nowhere
// else. Retained sizes that overlap are never added up: those of a type are of its objects that hang below no other
// object of the type.
package suspects
