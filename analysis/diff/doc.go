// Package diff compares two sides of any kind: sites, leaks, stacks, types, page types, curves. A side is rows with
// figures. Rows of both sides are matched by name, and a sentence reports what changed most.
package diff
