package views

import (
	"math"
	"strconv"
	"strings"

	"github.com/memtui/memtui/model"
)

// profUnit is how amounts of a metric are written.
type profUnit struct {
	kind  unitKind
	scale float64 // trees hold weights times this; 0 is 1
	tick  float64 // microseconds per unit, of times
}

type unitKind uint8

const (
	unitPlain unitKind = iota
	unitBytes
	unitTime
)

// unitOf is the unit of a metric: as the file states it, or as its name says.
func unitOf(m *model.ProfileMetric) profUnit {
	switch m.Unit {
	case "bytes", "byte", "B":
		return profUnit{kind: unitBytes}
	case "seconds", "s":
		return profUnit{kind: unitTime, tick: 1e6}
	case "milliseconds", "ms":
		return profUnit{kind: unitTime, tick: 1e3}
	case "microseconds", "us", "µs":
		return profUnit{kind: unitTime, tick: 1}
	case "nanoseconds", "ns":
		return profUnit{kind: unitTime, tick: 1e-3}
	case "":
		if strings.HasSuffix(m.Name, "_bytes") {
			return profUnit{kind: unitBytes}
		}
	}
	return profUnit{}
}

// text writes an amount: rounded with its unit, or exact as the file's numbers add up.
func (u profUnit) text(a model.Amount, exact bool) string {
	f := a.Float64()
	switch {
	case exact && u.kind == unitBytes && !a.IsFloat() && f >= 0:
		return model.Bytes(a.Uint64()).Exact()
	case exact && !a.IsFloat() && f >= 0 && f < math.MaxUint64:
		return model.Group(a.Uint64())
	case exact:
		return a.String()
	case f < 0:
		return "-" + u.number(-f)
	case !a.IsFloat() && u.kind == unitPlain:
		return model.ShortCount(a.Uint64())
	}
	return u.number(f)
}

// number writes what is not negative, rounded.
func (u profUnit) number(f float64) string {
	switch {
	case u.kind == unitBytes:
		return model.Bytes(uint64(min(f, math.MaxInt64))).String()
	case u.kind == unitTime && f*u.tick >= 1:
		return model.Time(min(f*u.tick, math.MaxInt64/2)).String()
	case u.kind == unitTime && f > 0:
		return strconv.FormatFloat(f*u.tick*1000, 'f', 0, 64) + " ns"
	case u.kind == unitTime:
		return "0"
	case f < 10_000 && f != math.Trunc(f):
		return strconv.FormatFloat(f, 'g', 3, 64)
	}
	return model.ShortCount(uint64(min(f, math.MaxInt64)))
}

// scaled writes a weight of a tree.
func (u profUnit) scaled(v uint64, exact bool) string {
	var a model.Amount
	if u.scale == 0 || u.scale == 1 {
		a.Add(model.Unsigned(v))
	} else {
		a.Add(model.Float(float64(v) / u.scale))
	}
	return u.text(a, exact)
}

// amountWidth is the cells that columns of amounts need.
func amountWidth(exact bool) int {
	if exact {
		return 16
	}
	return 9
}

// amountShare is part of whole in percent, "" of nothing.
func amountShare(part, whole model.Amount) string { return part.ShareOf(whole).String() }
