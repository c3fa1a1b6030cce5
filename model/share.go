package model

import (
	"math"
	"strconv"
)

// Share is a part of a total: 0 is nothing, 1 everything. It may be outside of that range. NaN is a part of nothing,
// which has no text.
type Share float64

// ShareOf returns the share that part is of whole. The result is 1 only if they are equal, however large they are, and
// NaN if whole is 0.
func ShareOf(part, whole uint64) Share {
	switch {
	case whole == 0:
		return Share(math.NaN())
	case part == whole:
		return 1
	}
	s := float64(part) / float64(whole)
	if s == 1 && part < whole {
		s = math.Nextafter(1, 0)
	}
	return Share(s)
}

// String renders s in percent with one decimal digit, halves rounded up ("7.6 %"). It reads "0 %" and "100 %" only for
// nothing and for everything: values that round to these read "<0.1 %" and ">99.9 %". Shares up to 1 take at most seven
// cells.
func (s Share) String() string {
	switch {
	case math.IsNaN(float64(s)):
		return ""
	case s < 0:
		return "-" + (-s).String()
	case s == 0:
		return "0 %"
	case s == 1:
		return "100 %"
	}
	switch text := strconv.FormatFloat(math.Round(1000*float64(s))/10, 'f', 1, 64); {
	case text == "0.0":
		return "<0.1 %"
	case text == "100.0" && s < 1:
		return ">99.9 %"
	default:
		return text + " %"
	}
}

// ShareOf returns the share that a is of whole, as the function [ShareOf] does; NaN also if whole is negative.
func (a Amount) ShareOf(whole Amount) Share {
	w := whole.Float64()
	switch {
	case w <= 0:
		return Share(math.NaN())
	case a.Compare(whole) == 0:
		return 1
	}
	s := a.Float64() / w
	if s == 1 && a.Compare(whole) < 0 {
		s = math.Nextafter(1, 0)
	}
	return Share(s)
}

// Certainty renders a confidence in whole percent. It is never all of them: nothing that was judged is that certain.
func (s Share) Certainty() string {
	thousandths := math.Round(1000 * float64(s)) // as reports state it: both round to the same percent
	if percent := math.Round(thousandths / 10); percent < 100 {
		return strconv.Itoa(int(max(percent, 0))) + " %"
	}
	return ">99 %"
}

// Done renders progress in whole percent ("37 %"), rounded down, limited to 0 … 100 %.
func (s Share) Done() string {
	if !(s > 0) {
		s = 0
	}
	return strconv.Itoa(int(min(100*s, 100))) + " %"
}

// ShareWidth is the cells that a share of at most 1 needs.
const ShareWidth = 7

// Change renders the change from before to after in percent of before, with its sign ("+50.4 %", "-100 %"). From ten
// times as much, it renders the factor ("12.3 ×"). It is "" if before is 0.
func Change(before, after uint64) string {
	switch {
	case before == 0:
		return ""
	case after < before:
		return "-" + ShareOf(before-after, before).String()
	case after == before:
		return "0 %"
	case after-before >= 10*before && before < math.MaxUint64/10:
		return threeSignificant(float64(after)/float64(before)) + " ×"
	}
	grown := ShareOf(after-before, before)
	if text := grown.String(); text != ">99.9 %" { // growth may exceed 100 %: to come close to it means nothing
		return "+" + text
	}
	return "+100 %"
}

// Each renders the n-th part of t, rounded to three significant digits ("0.89 µs", "12.5 ms"); n must not be 0.
func (t Time) Each(n uint64) string {
	us := float64(t) / float64(n)
	switch {
	case t > 0 && us < 0.005:
		return "<0.01 µs"
	case us == math.Trunc(us) || us >= 999.5:
		return Time(math.Round(us)).String()
	}
	return threeDigits(us) + " µs"
}

// Rate renders a rate of bytes per second without its sign, rounded to three significant digits ("442 KiB/s", "0.50
// B/s").
func Rate(perSecond float64) string {
	switch v := math.Abs(perSecond); {
	case v > 0 && v < 0.005:
		return "<0.01 B/s"
	case v < 999.5 && v != math.Trunc(v):
		return threeDigits(v) + " B/s"
	default:
		return wholeRate(v).String() + "/s"
	}
}

// ShortRate renders what Rate does, in at most seven cells where it is a KiB per second or more ("442K/s").
func ShortRate(perSecond float64) string {
	switch v := math.Abs(perSecond); {
	case v < 999.5:
		return Rate(v)
	case v < kibi:
		return threeDigits(v/kibi) + "K/s"
	default:
		return wholeRate(v).Short() + "/s"
	}
}

func wholeRate(v float64) Bytes { return Bytes(math.Round(math.Min(v, math.MaxUint64/2))) }

// Mean returns the n-th part of sum, rounded, halves up; n must not be 0.
func Mean(sum, n uint64) uint64 {
	q, rest := sum/n, sum%n
	if rest >= n-rest {
		q++
	}
	return q
}
