//go:build !race

package main_test

// underRace says that the race detector adds its own memory to what the program takes.
const underRace = false
