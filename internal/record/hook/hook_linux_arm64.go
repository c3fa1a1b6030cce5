package hook

import _ "embed"

// Library is the built library.
//
//go:embed hook_arm64.so
var Library []byte
