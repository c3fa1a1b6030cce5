// Package waste finds wasted memory in heap snapshots: duplicate strings, unused capacity of collections, empty arrays,
// boxed values, and classes that are loaded more than once.
package waste
