// Package weights sums up profiles of weighted stacks: by function, binary, source line and thread, over windows,
// samples and time.
package weights
