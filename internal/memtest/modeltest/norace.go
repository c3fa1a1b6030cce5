//go:build !race

package modeltest

// UnderRace says that the race detector is on: every step takes many times longer, and memory is its own, too. Tests
// that try everything try a part of it.
const UnderRace = false
