// Package group puts blocks together by stack, function, owner, file, module, thread and size: what the groups are
// called, which stacks a filter leaves, and how the live bytes of many groups develop in one pass.
package group
