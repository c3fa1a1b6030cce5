// Package node has what memtui record preloads into Node.js.
package node

import _ "embed"

// Preload is a module that reports to a recorder which objects live. Its lines are described in it.
//
//go:embed preload.cjs
var Preload []byte
