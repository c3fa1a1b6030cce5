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
	Complete bool   `json:"complete"`
	Format   string `json:"format"`
	URI      string `json:"uri"`       // where the file is; "" if redacted
	ID       Key    `json:"recording"` // the first eight bytes of the SHA-256 of the file's content
}

func (a *asking) list(ctx context.Context) ([]RecordingRow, error) {
	sums, err := a.parts(ctx)
	if err != nil {
		return nil, err
	}
	rows := []RecordingRow{}
	for id, v := range sums {
		r := a.recordings[id]
		rows = append(rows, RecordingRow{r.Service, r.Version, r.Host, v, r.Start, r.Duration, r.Complete, r.Format, r.URI, Key(id)})
	}
	return cut(a.q, rows, func(x, y *RecordingRow) int {
		return cmp.Or(cmp.Compare(y.Value, x.Value), cmp.Compare(x.Service, y.Service), cmp.Compare(x.Version, y.Version),
			cmp.Compare(x.Host, y.Host), cmp.Compare(x.ID, y.ID))
	}), nil
}

// list lists recordings, each once. Its columns have names of their own: an engine would take those of aggregates for
// the columns that conditions are about.
func (b sql) list() string {
	const columns = "r_service, r_version, r_host, r, r_start, r_duration, r_complete, r_format, r_uri, recording"
	all := "SELECT recording, max(service) AS r_service, max(version) AS r_version, max(host) AS r_host, max(start_us) AS r_start, " +
		"max(duration_us) AS r_duration, max(complete) AS r_complete, max(format) AS r_format, max(uri) AS r_uri FROM " +
		b.d.table("recordings") + " WHERE " + b.recordings() + " GROUP BY recording"
	return "SELECT " + columns + " FROM (SELECT recording, r FROM (" + b.parts("") + ") AS p) AS s " +
		b.d.inner + " (" + all + ") AS a USING (recording)" + b.limit("r DESC, r_service, r_version, r_host, recording")
}
