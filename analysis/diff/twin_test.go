package diff

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/model"
)

// randomStacks are a few stacks of few functions, so that many are equal.
func randomStacks(r *rand.Rand, n int) []string {
	out := make([]string, n)
	for i := range out {
		var frames []string
		for range r.IntN(5) {
			frames = append(frames, fmt.Sprintf("f%d<%d>|/b%d/x%d.c|%d", r.IntN(3), r.IntN(2), r.IntN(2), r.IntN(2), r.IntN(2)))
		}
		out[i] = strings.Join(frames, ";")
	}
	return out
}

// twinKeys says what each stack is matched by, the slow way: as one text.
func twinKeys(stacks []string, masks []Mask, match FrameMatch) []string {
	out := make([]string, len(stacks))
	for i, text := range stacks {
		for _, frame := range strings.Split(text, ";") {
			if frame == "" {
				continue
			}
			p := strings.Split(frame, "|")
			p[0], p[1] = applyMasks(masks, p[0]), applyMasks(masks, p[1])
			switch match {
			case MatchFunctions:
				p = p[:1]
			case matchFiles:
				p = []string{p[0], p[1][strings.LastIndexByte(p[1], '/')+1:]}
			}
			out[i] += strings.Join(p, "|") + ";"
		}
	}
	return out
}

// Rows, sums and statuses are those of a comparison by texts.
func TestCompareAgainstTwin(t *testing.T) {
	paths, err := ParseMask("paths")
	if err != nil {
		t.Fatal(err)
	}
	templates, err := ParseMask("templates")
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 7))
		opt := Options{Match: FrameMatch(r.IntN(int(MatchCount))), Masks: [][]Mask{nil, {paths}, {templates, paths}}[r.IntN(3)]}
		var sides [2]*Side
		want := map[string][2]uint64{}
		distinct := [2]map[string]bool{{}, {}}
		rows := [2]int{}
		for i := range sides {
			texts := randomStacks(r, r.IntN(30))
			bytes := make([]uint64, len(texts))
			keys := twinKeys(texts, opt.Masks, opt.Match)
			for k := range texts {
				if bytes[k] = uint64(r.IntN(4)) * 10; bytes[k] == 0 {
					continue
				}
				sum := want[keys[k]]
				sum[i] += bytes[k]
				want[keys[k]] = sum
				distinct[i][keys[k]] = true
				rows[i]++
			}
			sides[i] = sideOf([]string{"a", "b"}[i], stacksOf(texts...), bytes...)
		}
		c := compareIn(t, sides[0], sides[1], opt)
		got, statuses := slices.Sorted(maps.Values(pairs(c))), [ChangeCount]int{}
		var list []string
		for _, sum := range want {
			list = append(list, fmt.Sprint(sum))
			switch {
			case sum[0] == 0:
				statuses[ChangeNew]++
			case sum[1] == 0:
				statuses[ChangeGone]++
			case sum[1] > sum[0]:
				statuses[ChangeGrown]++
			case sum[1] < sum[0]:
				statuses[ChangeShrunk]++
			default:
				statuses[ChangeSame]++
			}
		}
		slices.Sort(list)
		if !slices.Equal(got, list) || c.Counts != statuses {
			t.Fatalf("seed %d: got %v, %v\nwant %v, %v", seed, got, c.Counts, list, statuses)
		}
		if merged := [2]int{rows[0] - len(distinct[0]), rows[1] - len(distinct[1])}; c.Merged != merged {
			t.Fatalf("seed %d: merged %v, want %v", seed, c.Merged, merged)
		}
		checkTree(t, c)
	}
}

// pairs are the sums of the rows, by index.
func pairs(c *Comparison) map[int]string {
	out := map[int]string{}
	for i := range c.Rows {
		out[i] = fmt.Sprint([2]uint64{c.Rows[i].BeforeBytes, c.Rows[i].AfterBytes})
	}
	return out
}

// checkTree compares the totals of a merged tree with those of its sides, and its widths with its rows.
func checkTree(t *testing.T, c *Comparison) {
	t.Helper()
	tree := compareTree(t, c, calltree.TreeOptions{})
	if tree.Sides[0].Total[0] != c.Totals.BeforeBytes || tree.Sides[1].Total[0] != c.Totals.AfterBytes {
		t.Fatalf("the tree holds %d and %d, the rows %+v", tree.Sides[0].Total[0], tree.Sides[1].Total[0], c.Totals)
	}
	for n := range int32(tree.Len()) {
		if tree.Total[n] < distance(tree.Sides[0].Total[n], tree.Sides[1].Total[n]) {
			t.Fatalf("node %d changed by %d only, from %d to %d", n, tree.Total[n], tree.Sides[0].Total[n], tree.Sides[1].Total[n])
		}
	}
}

func TestGroupSide(t *testing.T) {
	s := stacksOf("main|/src/a.c|1;f|/src/lib/b.c|1;main|/src/a.c|2", "main|/src/a.c|1", "g", "")
	side := sideOf("x", s, 100, 50, 30, 7)
	side.Rows = append(side.Rows, SideRow{Key: model.UnknownStack(9), own: true, Bytes: 3})
	skip := regexp.MustCompile("^main$|^unused$")
	for by, want := range map[StackGroup][]string{
		GroupFunction: {"<no name> 7", "<stack 9?> 3", "g 30", "main 150"},
		GroupTotal:    {"<no name> 7", "<stack 9?> 3", "f 100", "g 30", "main 150"},
		GroupOwner:    {"<no name> 7", "<stack 9?> 3", "f 100", "g 30", "main 50"},
		GroupFile:     {"/src/a.c 150", "<unknown file> 40"},
		GroupModule:   {"/src 150", "<unknown file> 40"},
	} {
		var got []string
		for _, r := range groupSide(side, by, skip).Rows {
			got = append(got, r.Key+" "+fmt.Sprint(r.Bytes))
		}
		if sum := groupSide(side, by, skip).Sum(); sum != side.Sum() {
			t.Errorf("group %d: the side weighs %+v, not %+v", by, sum, side.Sum())
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("group %d: %q, want %q", by, got, want)
		}
	}
}

func TestCutSide(t *testing.T) {
	deep, shallow := sideOf("x", stacksOf("start;main;f;g", "start;main;h;g", "g"), 1, 2, 4), sideOf("y", stacksOf("f;g", "h;g", "g"), 1, 2, 4)
	if c := compareIn(t, deep, shallow, Options{}); c.Counts[ChangeSame] != 1 {
		t.Errorf("before they are cut %q", changes(c))
	}
	c := compareIn(t, CutSide(deep, 2), CutSide(shallow, 2), Options{})
	if want := []string{"g 4→4 same", "h;g 2→2 same", "f;g 1→1 same"}; !slices.Equal(changes(c), want) {
		t.Errorf("got %q, want %q", changes(c), want)
	}
	if c := compareIn(t, CutSide(deep, 1), shallow, Options{}); c.Merged != [2]int{2, 0} {
		t.Errorf("of depth 1: %q, merged %v", changes(c), c.Merged)
	}
}
