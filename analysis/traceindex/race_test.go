//go:build race

package traceindex

// underRace says that every step takes many times longer: tests that try everything try a part of it.
const underRace = true
