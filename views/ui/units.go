package ui

import (
	"math"
	"strconv"

	"github.com/memtui/memtui/model"
)

// ProfileUnit is the format of amounts of a metric.
type ProfileUnit struct {
	Kind  unitKind
	Scale float64 // trees hold weights times this; 0 is 1
	tick  float64 // microseconds per unit, of times

	estimated bool // amounts are estimates, which is marked
}

type unitKind uint8

const (
	unitPlain unitKind = iota
	UnitBytes
	unitTime
)

// UnitOf returns the unit of a metric of an event: as stated in the file, or as its name suggests.
func UnitOf(w *model.StackProfile, event uint16, metric model.MetricID) ProfileUnit {
	u := ProfileUnit{estimated: w.Estimates(event, metric)}
	switch measure := w.Metrics[metric].Measure(); {
	case measure.Bytes:
		u.Kind = UnitBytes
	case measure.Tick > 0:
		u.Kind, u.tick = unitTime, measure.Tick
	}
	return u
}

// Text formats an amount: rounded with its unit, or as exact as the file's numbers.
func (u ProfileUnit) Text(a model.Amount, exact bool) string {
	if u.estimated {
		return model.AsEstimate(u.text(a, exact))
	}
	return u.text(a, exact)
}

func (u ProfileUnit) text(a model.Amount, exact bool) string {
	f := a.Float64()
	switch {
	case exact && u.Kind == UnitBytes && !a.IsFloat() && f >= 0:
		return model.Bytes(a.Uint64()).Exact()
	case exact && !a.IsFloat() && f >= 0 && f < math.MaxUint64:
		return model.Group(a.Uint64())
	case exact:
		return a.String()
	case f < 0:
		return "-" + u.number(-f)
	case !a.IsFloat() && u.Kind == unitPlain:
		return model.ShortCount(a.Uint64())
	}
	return u.number(f)
}

// number formats a non-negative amount, rounded.
func (u ProfileUnit) number(f float64) string {
	switch {
	case u.Kind == UnitBytes:
		return model.Bytes(uint64(min(f, math.MaxInt64))).String()
	case u.Kind == unitTime && f*u.tick >= 1:
		return model.Time(min(f*u.tick, math.MaxInt64/2)).String()
	case u.Kind == unitTime && f > 0:
		return strconv.FormatFloat(f*u.tick*1000, 'f', 0, 64) + " ns"
	case u.Kind == unitTime:
		return "0"
	case f < 10_000 && f != math.Trunc(f):
		return strconv.FormatFloat(f, 'g', 3, 64)
	}
	return model.ShortCount(uint64(min(f, math.MaxInt64)))
}

// Scaled formats a weight of a tree.
func (u ProfileUnit) Scaled(v uint64, exact bool) string {
	var a model.Amount
	if u.Scale == 0 || u.Scale == 1 {
		a.Add(model.Unsigned(v))
	} else {
		a.Add(model.Float(float64(v) / u.Scale))
	}
	return u.Text(a, exact)
}

// amountWidth returns the cells that columns of amounts need.
func amountWidth(exact bool) int {
	if exact {
		return 16
	}
	return 9
}

// AmountShare returns part of whole in percent, "" of nothing.
func AmountShare(part, whole model.Amount) string { return part.ShareOf(whole).String() }

// Signs of frames that are not ordinary user code.
const (
	KernelSign  = "[k] "
	InlinedSign = "[i] "
)

// InlinedDSO is perf's name for the binary of inlined functions.
const InlinedDSO = "inlined"
