//go:build race

package modeltest

// UnderRace reports that the race detector is on: every step takes many times longer, and it needs memory of its own.
// Tests that try everything try a part then.
const UnderRace = true
