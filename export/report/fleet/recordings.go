package fleet

import (
	"time"

	"github.com/memtui/memtui/export/report/cells"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/titles"
)

// Started returns the start of a recording, in microseconds since 1970, as tables have it.
func Started(us int64) string { return time.UnixMicro(us).UTC().Format("2006-01-02 15:04") }

func (l *layout) recordings() {
	l.heads("Recordings", cells.Head{Text: titles.Bytes}, cells.Head{Text: titles.Start, Kind: cells.Word},
		cells.Head{Text: titles.Length}, cells.Head{Text: titles.Service, Kind: cells.Symbol},
		cells.Head{Text: titles.Release, Kind: cells.Symbol}, cells.Head{Text: titles.Host, Kind: cells.Symbol},
		cells.Head{Text: titles.File, Kind: cells.Name})
	l.out.Spare = []string{titles.Length, titles.Start}
	for _, x := range l.r.Recordings {
		l.row(3, l.s.Bytes(x.Value), Started(x.Start), model.Time(x.Duration).String(), model.Clean(x.Service),
			model.Clean(x.Version), model.Clean(x.Host), model.Clean(x.URI))
	}
}
