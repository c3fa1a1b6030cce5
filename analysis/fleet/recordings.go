package fleet

import (
	"cmp"
	"context"
)

// RecordingRow is a row of the answer to Recordings.
type RecordingRow struct {
	Service  string `json:"service"`
	Version  string `json:"version"`
	Host     string `json:"host"`
	Value    uint64 `json:"bytes"`
	Start    int64  `json:"start_us"` // microseconds since 1970
	Duration int64  `json:"duration_us"`
	Format   string `json:"format"`
	URI      string `json:"uri"`       // where the file is; "" if redacted
	ID       Key    `json:"recording"` // the first eight bytes of the SHA-256 of the file's content
}

// ofRecordings returns the figure of the sites asked for, by recording.
func (a *asking) ofRecordings(ctx context.Context) (map[uint64]uint64, error) {
	type part struct{ recording, stack uint64 }
	parts, sums := map[part]uint64{}, map[uint64]uint64{}
	err := a.each(ctx, func(r *Recording, stack, value uint64) {
		p := part{r.Recording, stack}
		parts[p] = max(parts[p], value)
	})
	for p, v := range parts {
		sums[p.recording] += v
	}
	return sums, err
}

func (a *asking) list(ctx context.Context) ([]RecordingRow, error) {
	var sums map[uint64]uint64
	if a.q.Site != "" {
		var err error
		if sums, err = a.ofRecordings(ctx); err != nil {
			return nil, err
		}
	}
	rows := []RecordingRow{}
	for id, r := range a.recordings {
		value, has := sums[id]
		if a.q.Site == "" {
			value, has = *a.q.Figure.of(r), true
		}
		if has {
			rows = append(rows, RecordingRow{r.Service, r.Version, r.Host, value, r.Start, r.Duration, r.Format, r.URI, Key(id)})
		}
	}
	return cut(a.q, rows, func(x, y *RecordingRow) int {
		return cmp.Or(cmp.Compare(y.Value, x.Value), cmp.Compare(x.Service, y.Service), cmp.Compare(x.Version, y.Version),
			cmp.Compare(x.Host, y.Host), cmp.Compare(x.ID, y.ID))
	}), nil
}

// list lists recordings, each once. Its columns have names of their own: an engine would take those of aggregates for
// the columns that conditions are about.
func (b sql) list() string {
	const columns = "r_service, r_version, r_host, v, r_start, r_duration, r_format, r_uri, recording"
	all := "SELECT recording, max(service) AS r_service, max(version) AS r_version, max(host) AS r_host, max(start_us) AS r_start, " +
		"max(duration_us) AS r_duration, max(format) AS r_format, max(uri) AS r_uri, max(" + string(b.Figure) + ") AS r_value FROM " +
		b.d.Table("recordings") + " WHERE " + b.recordings() + " GROUP BY recording"
	const order = "v DESC, r_service, r_version, r_host, recording"
	if b.Site == "" {
		return "SELECT r_service, r_version, r_host, r_value AS v, r_start, r_duration, r_format, r_uri, recording FROM (" + all +
			") AS a" + b.limit(order)
	}
	parts := "SELECT recording, stack, max(" + string(b.Figure) + ") AS w FROM " + b.d.Table("sites") + " WHERE " + b.sites() +
		" GROUP BY recording, stack"
	sums := "SELECT recording, sum(w) AS v FROM (" + parts + ") AS p GROUP BY recording"
	return "SELECT " + columns + " FROM (" + sums + ") AS s " + b.d.inner + " (" + all + ") AS a USING (recording)" + b.limit(order)
}
