package fleet

import (
	"strings"

	"github.com/memtui/memtui/analysis/fleet"
	"github.com/memtui/memtui/export/report/cells"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/titles"
)

// curve lays out a row for every version, with the medians of its parts as a sparkline.
func (l *layout) curve() {
	l.heads("Live bytes over the time of runs", cells.Head{Text: titles.Over, Kind: cells.Sketch}, cells.Head{Text: titles.Begin},
		cells.Head{Text: titles.Half}, cells.Head{Text: titles.End}, cells.Head{Text: titles.P95}, cells.Head{Text: titles.Hosts},
		cells.Head{Text: titles.Share}, cells.Head{Text: titles.Length}, cells.Head{Text: titles.Service, Kind: cells.Symbol},
		cells.Head{Text: titles.Release, Kind: cells.Name})
	l.out.Spare = []string{titles.Length, titles.Share}
	for list := l.r.Curve; len(list) > 0; {
		n := 1
		for n < len(list) && list[n].Service == list[0].Service && list[n].Version == list[0].Version {
			n++
		}
		var medians []uint64
		for i := range n {
			medians = append(medians, list[i].Median)
		}
		end := &list[n-1]
		l.row(8, l.s.Spark(medians, fleet.CurveParts), l.s.Bytes(medians[0]), l.s.Bytes(medians[n/2]), l.s.Bytes(end.Median),
			l.s.Bytes(end.P95), l.s.Count(end.Hosts), l.share(end.Hosts, end.All), model.Time(end.Until).String(),
			model.Clean(end.Service), model.Clean(end.Version))
		list = list[n:]
	}
}

// shared lays out sites with the services that have them.
func (l *layout) shared() {
	l.heads("Sites that several services have", cells.Head{Text: titles.Sum}, cells.Head{Text: titles.Median}, cells.Head{Text: titles.P95},
		cells.Head{Text: titles.Hosts}, cells.Head{Text: titles.Share}, cells.Head{Text: l.thing(), Kind: cells.Name},
		cells.Head{Text: titles.Services, Kind: cells.Where}, cells.Head{Text: titles.Stack, Kind: cells.Word})
	l.out.Spare = []string{titles.Stack}
	for i := range l.r.Shared {
		x := &l.r.Shared[i]
		l.out.Rows = append(l.out.Rows, []string{l.s.Bytes(x.Total), l.s.Bytes(x.Median), l.s.Bytes(x.P95), l.s.Count(x.Hosts),
			l.share(x.Hosts, x.All), place(x.Place), model.Clean(strings.Join(x.Services, ", ")), key(x.Stack)})
	}
	l.unkeyed()
}
