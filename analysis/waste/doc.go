// Package waste finds memory of heap snapshots that says nothing or says it twice: strings of equal content, room of
// collections that nothing is in, arrays of nothing, boxed values, classes that are loaded more than once.
package waste
