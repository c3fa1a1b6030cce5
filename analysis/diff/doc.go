// Package diff compares two sides of any kind: sites, leaks, stacks, types, page types, curves. A side is rows with
// figures; rows of both sides are joined by what they are called, and a sentence says what changed most.
package diff
