//go:build !linux || (!amd64 && !arm64)

package hook

// Library is empty: none is built for this machine.
var Library []byte
