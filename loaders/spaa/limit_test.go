package spaa

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

// toldOnce fails unless one problem is told, a limit.
func toldOnce(t *testing.T, what string, got []loaders.Violation) {
	t.Helper()
	if len(got) != 1 || !strings.HasSuffix(got[0].Rule, "-limit") && got[0].Rule != "too-large" ||
		!strings.Contains(got[0].Message, "limit of ") || !strings.Contains(got[0].Message, "cannot be raised") {
		t.Errorf("%s: %+v", what, got)
	}
}

// TestALimitIsOneProblem holds files against limits: what is beyond one is told once, and not as damage.
func TestALimitIsOneProblem(t *testing.T) {
	events := strings.Builder{}
	for i := range maxDeclared {
		fmt.Fprintf(&events, `{"name":"e%d","kind":"timer","sampling":{"mode":"event","primary_metric":"period"}},`, i)
	}
	metrics := strings.Builder{}
	for i := range model.MaxMetrics + 1000 {
		fmt.Fprintf(&metrics, `{"metric":"m%d","value":1},`, i)
	}
	for name, text := range map[string]string{
		"depth":  good + `{"type":"frame","id":20,"func":"f","dso":1,"kind":"user","x":` + strings.Repeat("[", 1001) + strings.Repeat("]", 1001) + "}\n",
		"events": strings.Replace(good, `"events":[`, `"events":[`+events.String(), 1),
		"metrics": strings.NewReplacer(`{"metric":"period","value":3000}`, metrics.String()+`{"metric":"period","value":3000}`,
			`{"metric":"period","value":2000}`, metrics.String()+`{"metric":"period","value":2000}`).Replace(good),
	} {
		toldOnce(t, "validate, "+name, violations(t, text))
		if name != "depth" {
			toldOnce(t, "report, "+name, asViolations(loaded(t, []byte(text)).Problems))
		}
	}
}

func asViolations(problems []model.Problem) (out []loaders.Violation) {
	for _, p := range problems {
		out = append(out, loaders.Violation{Rule: p.Code, Severity: p.Severity, Message: p.Message, Count: p.Count})
	}
	return out
}

// TestFramesWaitByDSO counts all frames whose DSO does not stand before them, and tells where that cannot be.
func TestFramesWaitByDSO(t *testing.T) {
	b := newBuilder(openText(t, []byte(good)), true)
	defer b.free()
	b.order.most = 2
	for i := range 6 {
		b.order.wait(b, uint64(90+i%3), place{uint32(i), uint32(i)}, uint64(i))
	}
	b.order.dso[91] = 1
	b.order.finish(b)
	got := fmt.Sprint(b.found.list())
	want := "[{error reference frame 0 names the dso 90, which does not exist 2 0 1} {error order frame 1 comes before its dso 91 2 1 2} " +
		"{error too-large frames name more dsos not yet defined than the limit of 2: whether the others exist was not checked; it cannot be raised 2 2 3}]"
	if got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// TestALimitOfTheSourceCutsNoRecord reads lines of which decompressing gave a part.
func TestALimitOfTheSourceCutsNoRecord(t *testing.T) {
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	const wideFrame = "\x28\xb5\x2f\xfd\x00\x90\x01\x00\x00" // makes its decoder remember more than it may
	file := append(z.EncodeAll([]byte(good+`{"type":"sample","times`), nil), wideFrame...)
	src, err := loaders.OpenSource(t.Context(), "-", bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	if p := loadedFrom(t, src); len(p.Problems) > 0 || p.Weights.Counts.Samples != 2 || p.Complete {
		t.Errorf("%v, %d samples", p.Problems, p.Weights.Counts.Samples)
	}
	if err := validate(t.Context(), src, func(v loaders.Violation) { t.Error(v) }); err != nil {
		t.Error(err)
	}
}

// TestAHeaderThatIsTooLong is passed over, and neither missed nor taken for something else.
func TestAHeaderThatIsTooLong(t *testing.T) {
	src, err := loaders.OpenSource(model.WithBudget(t.Context(), model.NewBudget(64<<20)), "-",
		strings.NewReader(strings.Replace(good, `"source":{`, `"source":{"x":"`+strings.Repeat("x", 4<<20)+`",`, 1)))
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	for _, p := range loadedFrom(t, src).Problems {
		if p.Code == "header" {
			t.Error(p)
		}
	}
}
