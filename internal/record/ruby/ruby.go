// Package ruby has what memtui record requires before Ruby programs.
package ruby

import _ "embed"

// Preload is a file for ruby -r that writes heap dumps. The environment says where.
//
//go:embed preload.rb
var Preload []byte
