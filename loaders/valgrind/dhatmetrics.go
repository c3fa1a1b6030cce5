package valgrind

import (
	"cmp"

	"github.com/memtui/memtui/model"
)

// figure is a metric and a point's value of it.
type figure struct {
	id model.MetricID
	of func(p *point) (model.Number, bool)
}

// metrics returns the metrics that points of the file have.
func (d *dhat) metrics() (out []figure, event uint16) {
	var has uint16
	for i := range d.points {
		has |= d.points[i].has
	}
	bytes := cmp.Or(d.texts["bsu"], "bytes")
	add := func(name, unit string, apart bool, needs uint16, of func(p *point) (model.Number, bool)) {
		if has&needs != needs {
			return
		}
		if id, ok := d.Metric(model.ProfileMetric{Name: name, Unit: unit, Apart: apart}); ok {
			out = append(out, figure{id, of})
		}
	}
	plain := func(name, unit string, f int, apart bool) {
		add(name, unit, apart, 1<<f, func(p *point) (model.Number, bool) { return model.Unsigned(p.figures[f]), p.known(f) })
	}
	plain("alloc_bytes", bytes, totalBytes, false)
	plain("alloc_count", "count", totalBlocks, false)
	plain("bytes_at_global_peak", bytes, peakBytes, false)
	plain("count_at_global_peak", "count", peakBlocks, false)
	plain("live_bytes", bytes, endBytes, false)
	plain("live_count", "count", endBlocks, false)
	plain("lifetime_total", d.timeUnit(), lifetimes, false)
	plain("reads", "bytes", readBytes, false)
	plain("writes", "bytes", writtenBytes, false)
	add("never_read_bytes", bytes, false, 1<<readBytes|1<<totalBytes, neverRead)
	add("lifetime_mean", d.timeUnit(), true, 1<<lifetimes|1<<totalBlocks, ratio(lifetimes, totalBlocks))
	add("accesses_per_byte", "", true, 1<<readBytes|1<<writtenBytes|1<<totalBytes, accesses)
	if d.texts["tu"] != "instrs" { // valgrind's own are wrong
		plain("peak_bytes", bytes, ownPeakBytes, true)
	}
	e := model.ProfileEvent{Name: cmp.Or(d.texts["mode"], "heap"), Kind: "allocation", TracksFrees: has>>endBytes&1 != 0}
	if len(out) > 0 {
		e.Primary, e.PrimaryName = out[0].id, d.Profile.Metrics[out[0].id].Name
	}
	return out, d.Event(e)
}

// neverRead returns the bytes of a point whose blocks were never read.
func neverRead(p *point) (model.Number, bool) {
	return model.Unsigned(p.figures[totalBytes]), p.known(readBytes) && p.figures[readBytes] == 0 && p.figures[totalBytes] > 0
}

func ratio(a, b int) func(p *point) (model.Number, bool) {
	return func(p *point) (model.Number, bool) {
		if !p.known(a) || p.figures[b] == 0 {
			return model.Number{}, false
		}
		return model.Unsigned(p.figures[a] / p.figures[b]), true
	}
}

// accesses returns how often each byte was read or written on average.
func accesses(p *point) (model.Number, bool) {
	if !p.known(readBytes) || p.figures[totalBytes] == 0 {
		return model.Number{}, false
	}
	return model.Float((float64(p.figures[readBytes]) + float64(p.figures[writtenBytes])) / float64(p.figures[totalBytes])), true
}
