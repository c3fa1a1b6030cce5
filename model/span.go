package model

import (
	"fmt"
	"strconv"
)

// StepTime formats a moment so that moments at a distance of step look different: "20 ms", "61.034 ms", "1:04:03".
func StepTime(t, step int64) string {
	const second, minute, hour, day = 1_000_000, 60_000_000, 3_600_000_000, 86_400_000_000
	switch {
	case t == 0:
		return "0"
	case t < 1000 && step < 1000:
		return strconv.FormatInt(t, 10) + " µs"
	case t < second && step < second:
		return fixed(t, 1000, step) + " ms"
	case t < minute && step < minute:
		return fixed(t, second, step) + " s"
	case t < hour:
		return fmt.Sprintf("%d:%s", t/minute, clockSeconds(t%minute, step))
	case step%day == 0:
		return strconv.FormatInt(t/day, 10) + " d"
	case step%minute == 0:
		return fmt.Sprintf("%d:%02d h", t/hour, t%hour/minute)
	}
	return fmt.Sprintf("%d:%02d:%s", t/hour, t%hour/minute, clockSeconds(t%minute, step))
}

// fixed returns t in a unit of so many microseconds, with the decimals that step needs.
func fixed(t, unit, step int64) string {
	digits := 0
	for u := unit; u > 1 && step%u != 0; u /= 10 {
		digits++
	}
	return strconv.FormatFloat(float64(t)/float64(unit), 'f', digits, 64)
}

func clockSeconds(t, step int64) string {
	text := fixed(t, 1_000_000, step)
	if t < 10_000_000 {
		return "0" + text
	}
	return text
}

// Ends renders the ends of a range in a unit, "" is microseconds: with three significant digits, or with as many as tell
// how far they are apart ("300 ms", "450 ms"; "300.12 ms", "300.45 ms").
func Ends(from, to Time, unit string) (first, last string) {
	first, last = from.In(unit), to.In(unit)
	apart := int64(to - from)
	if from < 0 || apart <= 0 {
		return first, last
	}
	if unit != "" {
		if shown := coarseness(int64(to), 10_000); apart < leastSteps*shown {
			return Group(uint64(from)) + " " + Clean(unit), Group(uint64(to)) + " " + Clean(unit)
		}
		return first, last
	}
	if apart >= leastSteps*resolution(to) {
		return first, last
	}
	step := int64(1)
	for step*10*leastSteps <= apart {
		step *= 10
	}
	return StepTime(int64(from)/step*step, step), StepTime(int64(to)/step*step, step)
}

// PartEnds is [Ends] for a range that may begin or end with the recording; that end is "".
func PartEnds(from, to *Time, unit string) (first, last string) {
	switch {
	case from != nil && to != nil:
		return Ends(*from, *to, unit)
	case from != nil:
		first = from.In(unit)
	case to != nil:
		last = to.In(unit)
	}
	return first, last
}

// leastSteps is the length that a range has at least in units of the last digit of its ends.
const leastSteps = 4

// resolution returns what the last digit of a time means that is shown as [Time.String] does, in microseconds.
func resolution(t Time) int64 {
	switch {
	case t < 100*Second:
		return coarseness(int64(t), 1000)
	case t < 3600*Second:
		return int64(Second)
	case t < 48*3600*Second:
		return 60 * int64(Second)
	}
	return 3600 * int64(Second)
}

// coarseness returns what the third digit of a number means, 1 below a limit up to which all digits are shown.
func coarseness(n, all int64) int64 {
	if n < all {
		return 1
	}
	step := int64(1)
	for n >= 1000 {
		n /= 10
		step *= 10
	}
	return step
}
