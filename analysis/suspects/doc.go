// Package suspects finds what a person should look at first in a heap: objects of one type that retain much of it,
// their owners, and whether they become more from snapshot to snapshot.
//
// [Find] examines one snapshot with its dominators, and the number of objects of each type in others, which [Count]
// returns. The same memory is reported once: of types that retain each other, the most specific one is reported.
// Retained sizes that overlap are never added: the size of a type is that of its objects that are not below another
// object of the type.
package suspects
