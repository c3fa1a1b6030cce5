package cli

import (
	"strings"
	"testing"
)

func TestHeapThreads(t *testing.T) {
	path, command := madeUp(t)
	var r struct {
		Heap struct {
			Threads []struct {
				Name, ID string
				Retained uint64 `json:"retained_bytes"`
				Frames   []struct {
					Function, File string
					Line           int
					Locals         []struct {
						Name, ID, Label string
						Retained        uint64 `json:"retained_bytes"`
					}
				}
			}
		}
	}
	out, _ := command(0, "heap", "threads", "-f", "json", path)
	parseJSON(t, out, &r)
	if len(r.Heap.Threads) != 1 {
		t.Fatal(out)
	}
	x := r.Heap.Threads[0]
	if x.Name != "main loop" || x.Retained < 6_000_000_000 || len(x.Frames) != 1 || x.Frames[0].Function != "run" || x.Frames[0].Line != 7 || len(x.Frames[0].Locals) != 2 {
		t.Errorf("%+v", x)
	}
	if l := x.Frames[0].Locals[0]; l.Name != "cache" || l.Label != "Cache" || l.ID != "0x1000" || l.Retained < 6_000_000_000 {
		t.Errorf("%+v", l)
	}
	for _, format := range []string{"text", "markdown", "csv"} {
		if out, _ := command(0, "heap", "threads", "-f", format, path); !strings.Contains(out, "main loop") || !strings.Contains(out, "Registry") {
			t.Error(out)
		}
	}
	command(2, "heap", "threads", "../demo/samples/records.mvmheap")
}

// Where frames are no rows, what threads run is listed, or why there is none.
func TestHeapFramesOfThreads(t *testing.T) {
	_, command := madeUp(t)
	var r struct {
		Heap struct {
			Frames []struct {
				Frame, File string
				Line        int
				Count       int
			}
			Counts struct{ Frames int } `json:"row_counts"`
		}
	}
	shop := "../../loaders/hprof/testdata/g1.hprof.zst"
	out, _ := command(0, "heap", "frames", "-f", "json", "--limit", "2", shop)
	parseJSON(t, out, &r)
	if len(r.Heap.Frames) != 2 || r.Heap.Frames[0].Frame != "java.lang.Thread.run" || r.Heap.Frames[0].Line != 840 || r.Heap.Frames[0].Count != 4 || r.Heap.Counts.Frames != 25 {
		t.Errorf("%+v", r)
	}
	if out, _ := command(0, "heap", "frames", shop); !strings.Contains(out, "calls of 10 threads") || strings.Contains(out, "SHARE") {
		t.Error(out)
	}
	if _, said := command(2, "heap", "frames", "--by", "bytes", shop); !strings.Contains(said, "no key but count") {
		t.Error(said)
	}
	if _, said := command(2, "heap", "frames", "../../loaders/v8heap/testdata/chrome1.heapsnapshot.zst"); !strings.Contains(said, "do not record what threads run") || !strings.Contains(said, "--group site") {
		t.Error(said)
	}
}

// Contents of strings are told only where they are asked for, and cleaned.
func TestHeapWaste(t *testing.T) {
	path, command := madeUp(t)
	var r struct {
		Heap struct {
			Waste struct {
				Strings     struct{ Objects, Distinct int } `json:"duplicate_strings"`
				Collections []struct {
					Type     string
					Elements int
					Wasted   uint64 `json:"wasted_bytes"`
				}
				Referents []struct{ Kind string }
			}
		}
	}
	out, _ := command(0, "heap", "waste", "-f", "json", path)
	parseJSON(t, out, &r)
	w := r.Heap.Waste
	if w.Strings.Objects != 1 || w.Strings.Distinct != 1 || len(w.Collections) != 2 || w.Collections[0].Type != "Registry" || w.Collections[0].Wasted != 70 || w.Collections[1].Elements != 2 {
		t.Errorf("%s", out)
	}
	if len(w.Referents) != 1 || w.Referents[0].Kind != "weak" || strings.Contains(out, "hello") {
		t.Error(out)
	}
	java := "../../loaders/hprof/testdata/shop1.hprof.zst"
	if out, _ = command(0, "heap", "waste", java); !strings.Contains(out, "java.util.HashMap") || strings.Contains(out, "status=ACTIVE") {
		t.Error(out)
	}
	if out, _ = command(0, "heap", "waste", "--values", java); !strings.Contains(out, "“status=ACTIVE;region=eu-west-1”") {
		t.Error(out)
	}
	command(2, "heap", "waste", "../demo/samples/records.mvmheap")
}

func TestHeapHolders(t *testing.T) {
	path, command := madeUp(t)
	type holder struct {
		Label, Edge string
		Rows        uint64 `json:"holder_count"`
		Count       uint64
		Retained    uint64 `json:"retained_bytes"`
		Holders     []holder
	}
	ask := func(args ...string) []holder {
		var r struct{ Heap struct{ Holders holder } }
		out, _ := command(0, append([]string{"heap", "holders", "-f", "json", path}, args...)...)
		parseJSON(t, out, &r)
		if len(r.Heap.Holders.Holders) == 0 {
			t.Fatal(out)
		}
		return r.Heap.Holders.Holders
	}
	by := ask("--type", "Picture")
	if len(by) != 2 || by[0].Label != "Cache" || by[0].Edge != "pictures" || by[0].Retained != 6_000_000_000 || by[1].Edge != "[]" || by[1].Retained != 100_000 {
		t.Errorf("%+v", by)
	}
	if up := by[0].Holders; len(up) != 1 || up[0].Label != "main loop" || up[0].Edge != "cache" || len(up[0].Holders) != 0 {
		t.Errorf("%+v", by)
	}
	if by = ask("--type", "Picture", "--group", "package", "--limit", "1"); len(by) != 1 || by[0].Label != "shop.store" {
		t.Errorf("%+v", by)
	}
	for _, format := range []string{"text", "markdown", "csv"} {
		if out, _ := command(0, "heap", "holders", "--type", "Picture", "-f", format, path); !strings.Contains(out, "Cache") {
			t.Error(out)
		}
	}
	if out, _ := command(0, "heap", "holders", "--type", "Picture", "--limit", "1", path); !strings.Contains(out, "1 more (--limit counts for each level, 0 shows all)") {
		t.Error(out)
	}
	if _, errs := command(2, "heap", "holders", "--type", "Pict", path); !strings.Contains(errs, "near: Picture") {
		t.Error(errs)
	}
	command(2, "heap", "holders", "--type", "Picture", "--group", "nothing", path)
}
