package verdict

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/memtui/memtui/model"
)

// Evidence says which moment its figures are about where they are not those of the end, and never contradicts itself.
func TestEvidenceSaysWhen(t *testing.T) {
	const kib = 1 << 10
	at := 61 * model.Time(1000)
	for _, c := range []struct {
		v    Verdict
		want string
	}{
		{Verdict{Kind: InFlight, reason: youngBlocks, born: 2, freed: 1, heldBytes: 977 * kib, Live: 1, Bytes: 391 * kib, Ended: 2, Late: 1, LateBytes: 977 * kib, first: at, last: at, longest: at},
			"at 150 ms, before the last frees, 1 block (977 KiB) in use, allocated at 61.0 ms, no older than the one freed before became (61.0 ms); at the end 1 block (391 KiB) is live"},
		{Verdict{Kind: Kept, reason: fewBlocks, born: 1, heldBytes: 977 * kib, Ended: 1, Late: 1, LateBytes: 977 * kib, first: at, last: at},
			"at 150 ms, before the last frees, 1 block (977 KiB), allocated at 61.0 ms; none was freed by then; at the end none is live"},
		{Verdict{Kind: InFlight, reason: youngBlocks, born: 9, heldBytes: kib, Live: 9, Bytes: kib, suspects: 3, first: at, last: 2 * at},
			"9 blocks (1.00 KiB) in use, allocated from 61.0 ms to 122 ms, but 6 of them too late to tell whether more will come: none was freed"},
		{Verdict{Kind: Leak, reason: outlivedAll, born: 4, heldBytes: kib, Live: 4, Bytes: kib, first: at, last: 2 * at},
			"4 blocks (1.00 KiB), allocated from 61.0 ms to 122 ms, throughout the run; none was freed; a cache not yet full looks alike"},
		{Verdict{Kind: Leak, reason: outlivedAll, born: 4, heldBytes: kib, Live: 6, Bytes: 2 * kib, first: at, last: 2 * at},
			"at 150 ms, 4 blocks (1.00 KiB), allocated from 61.0 ms to 122 ms, throughout the run; none was freed; a cache not yet full looks alike; at the end 6 blocks (2.00 KiB) are live"},
		{Verdict{Kind: Leak, reason: outlivedAll, born: 100, heldBytes: 100 * kib, Live: 101, Bytes: 101 * kib, first: at, last: 2 * at},
			"101 blocks (101 KiB), allocated from 61.0 ms on, throughout the run; none was freed; a cache not yet full looks alike"},
		{Verdict{Kind: Late, reason: outlivedAll, born: 4, heldBytes: kib, Ended: 4, Late: 4, LateBytes: kib, first: at, last: 2 * at},
			"grew like a leak until the program freed it at its end: at 150 ms, before the last frees, 4 blocks (1.00 KiB), allocated from 61.0 ms to 122 ms, throughout the run; none was freed by then; all 4 were freed after that"},
		{Verdict{Kind: Leak, reason: outlivedSince, born: 4, heldBytes: kib, Live: 4, Bytes: kib, first: at, last: 2 * at},
			"4 blocks (1.00 KiB), allocated from 61.0 ms to 122 ms, again and again; none was freed; a cache not yet full looks alike"},
		{Verdict{Kind: Leak, reason: outlivedSince, born: 9, freed: 5, suspects: 4, heldBytes: kib, Live: 4, Bytes: kib, Ended: 5, first: at, last: 2 * at, longest: at},
			"4 blocks (1.00 KiB) of 9 allocated; the 5 freed lived at most 61.0 ms, but all live ones are older than that, allocated again and again from 61.0 ms on"},
		{Verdict{Kind: Leak, reason: outlivedAll, born: 9, freed: 5, suspects: 3, heldBytes: kib, Live: 4, Bytes: kib, Ended: 7, first: at, last: 2 * at, longest: at},
			"4 blocks (1.00 KiB) of 11 allocated; 7 were freed, all but the last ones after at most 61.0 ms, but 3 live ones are older than that, allocated throughout the run"},
		{Verdict{Kind: Leak, reason: outlivedAll, born: 9, freed: 5, suspects: 1, heldBytes: kib, Live: 1, Bytes: kib, Ended: 10, Late: 3, first: at, last: 2 * at, longest: at},
			"at 150 ms, before the last frees, 4 blocks (1.00 KiB) of 9 allocated by then; the 5 freed lived at most 61.0 ms, but 1 live one is older than that, allocated throughout the run; at the end 1 block (1.00 KiB) is live"},
		{Verdict{Kind: Leak, reason: outlivedAll, born: 100, freed: 0, heldBytes: kib, Live: 99, Bytes: kib, Ended: 1, Late: 1, first: at, last: 2 * at},
			"99 blocks (1.00 KiB), allocated from 61.0 ms to 122 ms, throughout the run; one was freed, in the last moments of the run; a cache not yet full looks alike"},
		{Verdict{Kind: Late, reason: outlivedAll, born: 9, freed: 5, suspects: 4, heldBytes: kib, Live: 1, Bytes: kib / 4, Ended: 8, Late: 3, LateBytes: kib * 3 / 4, first: at, last: 2 * at, longest: at},
			"grew like a leak until the program freed it at its end: at 150 ms, before the last frees, 4 blocks (1.00 KiB) of 9 allocated by then; the 5 freed lived at most 61.0 ms, but all live ones are older than that, allocated throughout the run; 3 of them (768 B) were freed after that; at the end 1 block (256 B) is live"},
		{Verdict{Kind: Bounded, reason: replacing, born: 4, heldBytes: kib, Live: 4, Bytes: kib, first: at, last: 2 * at},
			"4 blocks (1.00 KiB) in use; they replace blocks that the same function allocated for other callers: together, they do not become more"},
		{Verdict{Kind: Leak, reason: largerBlocks, born: 9, freed: 5, heldBytes: kib, Live: 4, Bytes: kib, first: at, last: 2 * at},
			"4 blocks (1.00 KiB) live, replaced by larger ones again and again: they become no more, but their bytes do, throughout the run"},
		{Verdict{Kind: Unknown, reason: noFrees, Live: 2, Bytes: 391 * kib}, "2 blocks (391 KiB); the file records no frees, so it does not show what leaks"},
		{Verdict{Kind: Unknown, reason: lastMoment, Live: 1, Bytes: 391 * kib}, "1 block (391 KiB), all allocated in the last moments of the run"},
	} {
		c.v.Until = 150_000
		got := c.v.Evidence()
		if got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
		if strings.Contains(got, "freed blocks became: none") {
			t.Errorf("%s", got)
		}
	}
}

// What was freed and what is live add up to what was allocated, in each sentence that has all three.
func TestEvidenceAddsUp(t *testing.T) {
	counts := regexp.MustCompile(`([\d,]+) blocks .* of ([\d,]+) allocated.*; (?:the )?([\d,]+) (?:were )?freed`)
	for _, v := range []Verdict{
		{Kind: Kept, reason: oneTime, born: 142, freed: 7, suspects: 134, heldBytes: 100_000, Live: 134, Bytes: 100_000, Ended: 8, Late: 1},
		{Kind: Leak, reason: outlivedAll, born: 1000, freed: 400, suspects: 600, heldBytes: 100_000, Live: 605, Bytes: 101_000, Ended: 420, Late: 3},
		{Kind: Late, reason: outlivedAll, born: 1837, freed: 15, suspects: 1495, heldBytes: 100_000, Ended: 1839, Late: 1822},
	} {
		var n [4]int
		for i, text := range counts.FindStringSubmatch(v.Evidence()) {
			n[i], _ = strconv.Atoi(strings.ReplaceAll(text, ",", ""))
		}
		if n[1] == 0 || n[1]+n[3] != n[2] {
			t.Errorf("%d and %d are not %d: %s", n[1], n[3], n[2], v.Evidence())
		}
	}
}

// "Throughout the run" is said of what spans the run's time, whatever the clock of allocations says.
func TestThroughoutTheRun(t *testing.T) {
	const second = model.Second
	for _, c := range []struct {
		first, last model.Time
		want        reason
	}{{second, 7 * second, outlivedAll}, {5 * second, 8 * second, outlivedSince}, {0, 5 * second, outlivedSince}} {
		e := Evidence{sums: &sums{born: Windows, live: Windows, liveBytes: Windows, first: c.first, last: c.last}}
		for w := range e.births {
			e.births[w] = 1
		}
		if v := e.Judge(8 * second); v.Kind != Leak || v.reason != c.want {
			t.Errorf("from %v to %v: %v for reason %d, not %d", c.first, c.last, v.Kind, v.reason, c.want)
		}
	}
}

// A verdict says what became of live blocks: what is no longer live was not in flight.
func TestSettled(t *testing.T) {
	for _, c := range []struct {
		v    Verdict
		want Kind
	}{
		{Verdict{Kind: InFlight, Live: 1, Late: 3}, InFlight},
		{Verdict{Kind: InFlight, Late: 3}, None},
		{Verdict{Kind: InFlight}, None},
		{Verdict{Kind: Kept, Late: 3}, Kept},
		{Verdict{Kind: Kept}, None},
		{Verdict{Kind: Leak, Late: 3}, Late},
		{Verdict{Kind: Leak, Live: 4, Late: 3}, Leak},
	} {
		if got := c.v.settled().Kind; got != c.want {
			t.Errorf("%v of which %d blocks are live and %d were late: %v, not %v", c.v.Kind, c.v.Live, c.v.Late, got, c.want)
		}
	}
}

func TestGroupsGrowWithAllTheirSites(t *testing.T) {
	list := List{{Key: 0, Kind: Leak, Growth: 3, Confidence: 1}, {Key: 1, Kind: Leak, Growth: 5, Confidence: 1},
		{Key: 2, Kind: Kept}, {Key: 3, Kind: Leak, Growth: 1, Confidence: 1}}
	got := list.By(func(key uint32) (uint32, bool) { return key / 3, true })
	if len(got) != 2 || got[0].Kind != Leak || got[0].Growth != 8 || got[1].Growth != 1 {
		t.Errorf("%+v", got)
	}
}
