package fleet_test

import (
	"context"
	"testing"

	"github.com/memtui/memtui/analysis/fleet"
)

// run is one host whose runs grow by a byte a microsecond, and whose newer version ends at half the time.
type run struct{ owned }

func (run) Curve(_ context.Context, _ []string, f func(*fleet.Point)) error {
	for at := int64(100); at <= 1600; at += 100 {
		f(&fleet.Point{Recording: 1, At: at, Max: uint64(at)})
		if at <= 800 {
			f(&fleet.Point{Recording: 2, At: at, Max: uint64(2 * at)})
		}
	}
	return nil
}

func TestCurveDividesTheTimeOfRuns(t *testing.T) {
	q := fleet.Question{Kind: fleet.Curve, Figure: fleet.Live}
	a, err := q.Ask(t.Context(), run{})
	if err != nil {
		t.Fatal(err)
	}
	ends := map[string]fleet.CurveRow{}
	for _, r := range a.Curve {
		if most := map[string]uint64{"1": 1, "2": 2}[r.Version] * uint64(r.Until); r.Median > most || r.Hosts != 1 || r.All != 1 {
			t.Errorf("%+v has more than %d", r, most)
		}
		ends[r.Version] = r
	}
	if ends["1"].Until != 1600 || ends["1"].Median != 1600 || ends["2"].Until != 800 || ends["2"].Median != 1600 || len(a.Curve) > 2*fleet.CurveParts {
		t.Errorf("runs end with %+v", ends)
	}
	q.Limit = 1
	if a, err = q.Ask(t.Context(), run{}); err != nil || len(a.Curve) == 0 || a.Curve[0].Version != "2" {
		t.Errorf("the newest version has %+v, %v", a.Curve, err)
	}
	if a, err = q.Ask(t.Context(), owned{}); err != nil || len(a.Curve) != 0 || a.Basis.Lacking != 2 {
		t.Errorf("without curves: %+v, %v", a, err)
	}
}

func TestTrendLeavesOutServicesWithoutTheSite(t *testing.T) {
	for site, want := range map[string]int{"nothing": 0, "read": 2, "": 2} {
		q := fleet.Question{Kind: fleet.Trend, Figure: fleet.Leaked, Site: site}
		if a, err := q.Ask(t.Context(), owned{}); err != nil || len(a.Trend) != want {
			t.Errorf("%q: %+v, %v, want %d versions", site, a.Trend, err, want)
		}
	}
}
