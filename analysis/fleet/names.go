package fleet

import (
	"cmp"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Labels is the name of the column of labels. Columns with a single name are service, version and host.
const Labels = "labels"

// Named returns the names that a recording has in a column.
func (r *Recording) Named(column string) []string {
	switch column {
	case "service":
		return []string{r.Service}
	case "version":
		return []string{r.Version}
	case "host":
		return []string{r.Host}
	case Labels:
		return r.Labels
	}
	return nil
}

// Once returns recordings without repetitions, the newest first.
func Once(all []Recording) []Recording {
	slices.SortFunc(all, func(a, b Recording) int {
		return cmp.Or(cmp.Compare(b.Start, a.Start), cmp.Compare(a.Service, b.Service), cmp.Compare(a.Host, b.Host),
			cmp.Compare(a.ID, b.ID))
	})
	seen := map[uint64]bool{}
	return slices.DeleteFunc(all, func(r Recording) bool {
		known := seen[r.Recording]
		seen[r.Recording] = true
		return known
	})
}

// ListSQL returns the question which recordings a filter selects. [ScanRecordings] reads its rows.
func (f *Filter) ListSQL(d Dialect) string {
	return selectRecordings(d) + " WHERE " + f.where(d) + " ORDER BY start_us DESC, service, host, id"
}

// KnownSQL returns the question what is known of a recording. [ScanRecordings] reads its rows.
func KnownSQL(d Dialect, recording uint64) string {
	return selectRecordings(d) + " WHERE recording = " + strconv.FormatUint(recording, 10) + " LIMIT 1"
}

// selectRecordings returns the beginning of a question for all columns of recordings.
func selectRecordings(d Dialect) string {
	var columns []string
	t := reflect.TypeFor[Recording]()
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("parquet"), ",")
		if name == Labels {
			name = d.joined(name)
		}
		columns = append(columns, name)
	}
	return "SELECT " + strings.Join(columns, ", ") + " FROM " + d.table("recordings")
}

// PlacesSQL returns the question what names things have: the columns are the fields of [Place].
func (w What) PlacesSQL(d Dialect) string {
	q := Question{What: w}
	if item, _ := (sql{&q, d}).columns(); !w.HasSites() {
		return "SELECT DISTINCT '' AS function, '' AS file, " + of(item, "name") + " FROM " + d.table(string(w)) + " ORDER BY name"
	}
	return "SELECT DISTINCT function, file, '' AS name FROM " + d.table("stacks") + " WHERE recipe = " + d.text(Recipe) +
		" ORDER BY function, file"
}
