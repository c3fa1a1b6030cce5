// Package group groups blocks by stack, function, owner, file, module, thread and size. It has the names of groups, the
// stacks that a filter keeps, and the live bytes of many groups over time, computed in one pass.
package group
