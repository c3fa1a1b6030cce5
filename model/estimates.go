package model

import (
	"math"
	"regexp"
	"strconv"
	"strings"
)

// Sampling states by what chance blocks were chosen for recording. It is the zero value if that is unknown, or if all
// were recorded.
type Sampling struct {
	Period uint64  `json:",omitzero"` // the mean distance of samples in bytes, the largest one if it varies
	Varies bool    `json:",omitzero"`
	Rate   float64 `json:",omitzero"` // the chance of each block, whatever its size
}

// Error returns the relative standard error of a sum of bytes that samples represent, 0 to 1. Where k blocks were chosen
// by chance p it is sqrt((1-p)/k); an unknown chance counts as none, which overstates it.
func (s Sampling) Error(bytes, samples uint64) float64 {
	if samples == 0 {
		return 0
	}
	return math.Sqrt((1 - s.Chance(float64(bytes)/float64(samples))) / float64(samples))
}

// Chance returns the chance by which a block was chosen that represents so many bytes, 0 if it is unknown.
func (s Sampling) Chance(weight float64) float64 {
	if s.Rate > 0 {
		return min(s.Rate, 1)
	}
	if s.Period == 0 {
		return 0
	}
	return min(s.size(weight)/max(weight, 1), 1)
}

// Sample returns what a block of a size represents if it is chosen, and the chance of that: its size and 1 if it is
// unknown.
func (s Sampling) Sample(size float64) (weight, chance float64) {
	switch {
	case s.Rate > 0:
		chance = min(s.Rate, 1)
	case s.Period == 0:
		chance = 1
	case size < 1: // of which one represents the period
		return float64(s.Period), 0
	default:
		chance = -math.Expm1(-size / float64(s.Period))
	}
	return size / chance, chance
}

// size returns the size of a block that represents so many bytes. Where s is the size and P the period, these are
// s / (1 - exp(-s/P)), which rises with s.
func (s Sampling) size(weight float64) float64 {
	period := float64(s.Period)
	lo, hi := 0.0, weight
	for range 60 {
		mid := (lo + hi) / 2
		if mid/-math.Expm1(-mid/period) < weight {
			lo = mid
		} else {
			hi = mid
		}
	}
	return hi
}

// Size returns the size of a block that represents so many bytes. ok is false if the file does not state it: what a block
// represents is rounded, so that sizes of some bytes are lost.
func (s Sampling) Size(weight uint64) (size uint64, ok bool) {
	switch {
	case s.Rate > 0:
		return uint64(math.Round(float64(weight) * s.Rate)), true
	case s.Period == 0 || s.Varies:
		return 0, false
	}
	size = uint64(math.Round(s.size(float64(weight))))
	return size, size >= leastSize
}

// leastSize is from where on sizes are told from what blocks represent: they are off by 2 bytes at most.
const leastSize = 16

// ErrorText returns [Sampling.Error] in words, "" of no samples.
func (s Sampling) ErrorText(bytes, samples uint64) string {
	if samples == 0 {
		return ""
	}
	return ErrorText(s.Error(bytes, samples))
}

// ErrorText returns a relative error with its sign, in at most six cells ("±12 %").
func ErrorText(e float64) string {
	if e > 0 && e < 0.005 {
		return "±<1 %"
	}
	return "±" + strconv.Itoa(int(math.Round(100*e))) + " %"
}

// EstimateMark precedes figures that are estimates.
const EstimateMark = "~"

var (
	blockWord = regexp.MustCompile(`\bblock(s?)\b`)
	amount    = regexp.MustCompile(`(^|[\s(])([+-]?)([1-9][\d,]*(?:\.\d+)?|0\.\d+)( (?:B|[KMGTPE]iB)|[KMGTPE])(/s)?($|[\s).,:;·])`)
)

// Estimates states what it means for figures how blocks were chosen for recording ("sampled every 512 KiB").
func Estimates(sampled string) string { return sampled + ": figures are estimates" }

// AsEstimates returns a sentence about blocks as one about samples, for recordings of which not all blocks were recorded:
// their numbers are not those of the program's blocks, and amounts of memory are marked. Names must not be in it.
func AsEstimates(sentence string) string {
	sentence = blockWord.ReplaceAllString(sentence, "sample$1")
	for range 2 { // amounts next to each other share the space between them
		sentence = amount.ReplaceAllString(sentence, "${1}"+EstimateMark+"$2$3$4$5$6")
	}
	return sentence
}

// Unmarked returns an amount of memory without the mark of an estimate.
func Unmarked(amount string) string { return strings.TrimPrefix(amount, EstimateMark) }

// AsEstimate marks an amount of memory.
func AsEstimate(amount string) string {
	if amount == "" || amount[0] < '1' || amount[0] > '9' {
		return amount
	}
	return EstimateMark + amount
}
