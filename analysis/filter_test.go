package analysis

import (
	"fmt"
	"testing"

	"github.com/memtui/memtui/model"
)

type filterRow struct {
	texts  []string
	values map[string]float64
}

func (r filterRow) Texts() []string { return r.texts }

func (r filterRow) Value(field string, share bool) (float64, bool) {
	if share {
		field += "%"
	}
	v, ok := r.values[field]
	return v, ok
}

func TestFilter(t *testing.T) {
	row := filterRow{[]string{"parse_table(Reader&)", "kvleak.cpp:88"}, map[string]float64{"live": 2 << 20, "temp%": 0.6, "age": 3e6, "leaked": 5000, "leaked%": 0.5}}
	tests := map[string]bool{
		"": true, "PARSE": true, "kvleak": true, "nothing": false, "!nothing": true, "!parse": false, "parse cpp": true, "parse nothing": false,
		"live>1M": true, "live>=2MiB": true, "live<1M": false, "!live<1M": true, "temp>=50%": true, "temp>60%": false, "age>2s": true, "age>=0": true, "age<0.05min": false, "age<=0.05min": true,
		"count>1": false, "x>y": false, "/^parse_/": true, "/table.*reader/ live>1M": true, "!/^kv/": false, "live=2M": true,
		"live > 1M": true, "parse live >1M": true, "live> 4M": false, "!live > 4M": true, "leak>1": true, "bytes<1K": false, "oldest>2s": true,
		"leak%>=50%": true, "vector<int>": false, "a<b": false,
	}
	for text, want := range tests {
		f, err := ParseFilter(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if got := f.Match(row); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
	for _, text := range []string{"live>x", "temp>%", "/(/", "age>5", "live>", "heft>10", "x>1", "bogus >= 3%", "lifespan>2s"} {
		if _, err := ParseFilter(text); err == nil {
			t.Errorf("%q accepted", text)
		}
	}
}

// A share is exactly what is typed, however floats round; one that cannot be typed is equal as it reads.
func TestFilterOfShares(t *testing.T) {
	fields := []Field{{Names: []string{"live"}}}
	match := func(text string, part, whole uint64) bool {
		f, err := ParseFilter(text, fields...)
		if err != nil {
			t.Fatal(err)
		}
		return f.Match(filterRow{nil, map[string]float64{"live%": float64(model.ShareOf(part, whole))}})
	}
	for n := range uint64(2000) {
		at := fmt.Sprintf("%d.%d%%", n/10, n%10)
		if !match("live>="+at, n, 1000) || !match("live<="+at, n, 1000) || !match("live="+at, n, 1000) || match("live>"+at, n, 1000) || match("live<"+at, n, 1000) {
			t.Errorf("%d of 1000 is not %s", n, at)
		}
	}
	for text, want := range map[string]bool{"live=33.3%": true, "live=33.4%": false, "live>33.3%": true, "live=33%": false} {
		if match(text, 1, 3) != want {
			t.Errorf("a third: %s is not %v", text, want)
		}
	}
	if match("live=100%", 99_999, 100_000) || match("live=0%", 1, 100_000) {
		t.Error("nearly all is all, or nearly nothing nothing")
	}
}

// A table's filter compares what the table has, under each of its names, and tells what that is.
func TestFilterOfFields(t *testing.T) {
	fields := []Field{{Names: []string{"bytes", "size"}}, {Names: []string{"lived"}, Time: true}}
	row := filterRow{nil, map[string]float64{"bytes": 2 << 20, "lived": 3e6, "live": 1}}
	for text, want := range map[string]bool{"bytes>1M": true, "size>1M": true, "lived>2s": true, "lived>4s": false} {
		f, err := ParseFilter(text, fields...)
		if err != nil || f.Match(row) != want {
			t.Errorf("%q: %v, want %v", text, err, want)
		}
	}
	if _, err := ParseFilter("live>0", fields...); err == nil || err.Error() != "unknown column live; available: bytes, lived; near: lived" {
		t.Errorf("a figure of another table: %v", err)
	}
}
