package fleet

import (
	"crypto/sha256"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/fleet"
	"github.com/memtui/memtui/internal/memtest/opened"
	"github.com/memtui/memtui/model"
)

const trace = "../../testdata/small_kvleak.mlyze"

func rowsOf(t *testing.T, path string, about About) (*fleet.Batch, *model.Profile, analysis.Trace) {
	t.Helper()
	store, index, err := opened.File(t, path)
	if err != nil {
		t.Fatal(err)
	}
	b, err := Rows(t.Context(), store.Current(), index, about)
	if err != nil {
		t.Fatal(err)
	}
	return b, store.Current(), index
}

func about() About {
	return About{ID: sha256.Sum256([]byte("x")), Service: "shop", Version: "1", Host: "h", Labels: []string{"z=1", "a=2"}, URI: "/x", Modified: time.Unix(1_790_000_000, 0)}
}

// The rows of a trace add up to its totals.
func TestRowsOfATraceAddUp(t *testing.T) {
	b, _, index := rowsOf(t, trace, about())
	totals, err := index.Totals(t.Context(), analysis.FullRange)
	if err != nil {
		t.Fatal(err)
	}
	var sum fleet.Site
	for i, s := range b.Sites {
		sum.Alloc, sum.AllocCount, sum.Live, sum.Leaked = sum.Alloc+s.Alloc, sum.AllocCount+s.AllocCount, sum.Live+s.Live, sum.Leaked+s.Leaked
		sum.Peak += s.Peak
		if s.Service != "shop" || s.Recording != b.Recordings[0].Recording || i > 0 && b.Sites[i-1].Stack >= s.Stack {
			t.Errorf("row %d: %+v", i, s)
		}
	}
	r := b.Recordings[0]
	if sum.Alloc != totals.AllocBytes || sum.AllocCount != totals.AllocCount || *r.Alloc != sum.Alloc || *r.Live != sum.Live ||
		*r.Leaked != sum.Leaked || *r.Peak != sum.Peak {
		t.Errorf("sites have %+v, the recording %d %d %d %d, the trace %+v", sum, *r.Alloc, *r.Live, *r.Leaked, *r.Peak, totals)
	}
	if r.ID != fmt.Sprintf("%x", sha256.Sum256([]byte("x"))) || !slices.Equal(r.Labels, []string{"a=2", "z=1"}) || !r.Complete || r.Format != "mlyze" {
		t.Errorf("%+v", r)
	}
	if len(b.Curve) == 0 || len(b.Curve) > columns || b.Curve[len(b.Curve)-1].Last != *r.Live {
		t.Errorf("the curve ends at %+v", b.Curve[len(b.Curve)-1])
	}
	if !slices.ContainsFunc(b.Leaks, func(l fleet.Leak) bool {
		return l.Verdict == "leak" && l.Growth > 0 && l.Oldest >= l.Median && l.Median > 0
	}) {
		t.Errorf("no leak among %+v", b.Leaks)
	}
}

// Files of all kinds have rows of their kind.
func TestRowsOfEveryKind(t *testing.T) {
	for path, has := range map[string]func(*fleet.Batch) bool{
		"../../loaders/sanitizer/testdata/lsan.txt": func(b *fleet.Batch) bool {
			return *b.Recordings[0].Leaked > 0 && b.Recordings[0].Alloc == nil && b.Sites[0].Leaked > 0
		},
		"../../loaders/heaptext/testdata/every.0.i0.heap": func(b *fleet.Batch) bool {
			return *b.Recordings[0].Live > 0 && b.Recordings[0].Leaked == nil && len(b.Sites) > 0 && len(b.Stacks) > 0
		},
	} {
		if b, _, _ := rowsOf(t, path, about()); !has(b) {
			t.Errorf("%s: %+v", path, b)
		}
	}
}

// stacks returns a profile with one stack of these frames, leaf first: functions with files.
func stacks(frames ...[2]string) (*model.Stacks, model.NodeID) {
	s := model.NewStacks()
	leaf := model.NodeID(0)
	for _, f := range slices.Backward(frames) {
		s.Functions, s.Files = append(s.Functions, f[0]), append(s.Files, f[1])
		s.FrameFunc, s.FrameFile = append(s.FrameFunc, model.FuncID(len(s.Functions)-1)), append(s.FrameFile, model.FileID(len(s.Files)-1))
		s.FrameLine = append(s.FrameLine, int64(len(frames)))
		s.Parent, s.Frame, s.Depth = append(s.Parent, leaf), append(s.Frame, model.FrameID(len(s.FrameFunc)-1)), append(s.Depth, uint32(len(s.Depth)))
		leaf = model.NodeID(len(s.Parent) - 1)
	}
	return s, leaf
}

func keyFrames(frames ...[2]string) fleet.Stack {
	s, leaf := stacks(frames...)
	k := newKeys(s, namer{})
	k.ofNode(leaf)
	return k.list[0]
}

// The recipe of keys is fixed: what it makes of a stack may never change under its name. Folders, versions of libraries,
// lines and unknown addresses make no difference, functions and files do.
func TestKeysAreTheSameOnEveryMachine(t *testing.T) {
	one := keyFrames([2]string{"malloc", "/lib/libc.so.6"}, [2]string{"grow", "/src/app/cart.c"}, [2]string{"0x4010ab", "/usr/bin/app"}, [2]string{"", "/usr/bin/x"}, [2]string{"main", "/src/app/main.c"})
	if one.Stack != 0xd4282c19efa88792 || one.Function != "grow" || one.File != "cart.c" || one.Recipe != "stack_v1" ||
		strings.Join(one.Frames, "|") != "malloc\tlibc.so|grow\tcart.c|?|main\tmain.c" {
		t.Errorf("%x %+v", one.Stack, one)
	}
	two := keyFrames([2]string{"malloc", "/usr/lib64/libc.so.6.0.1"}, [2]string{"grow", `C:\work\cart.c`}, [2]string{"??", ""}, [2]string{"main", "main.c"})
	if two.Stack != one.Stack {
		t.Errorf("another machine's key is %x of %q", two.Stack, two.Frames)
	}
	for _, other := range [][2]string{{"grow2", "cart.c"}, {"grow", "cart2.c"}, {"", ""}} {
		if x := keyFrames([2]string{"malloc", "libc.so"}, other, [2]string{"?", ""}, [2]string{"main", "main.c"}); x.Stack == one.Stack {
			t.Errorf("%q has the same key", other)
		}
	}
	if x := keyFrames(); x.Function != unknown || len(x.Frames) != 1 {
		t.Errorf("no frames: %+v", x)
	}
}

// Stacks are named after what belongs to the program, or else after the first frame that is not an allocator.
func TestStacksAreNamedAfterTheirOwner(t *testing.T) {
	push := [2]string{"void std::vector<int>::_M_realloc_insert<int>(int&&)", "vector.tcc"}
	for _, c := range []struct {
		frames [][2]string
		want   string
	}{
		{[][2]string{{"operator new(unsigned long)", "libstdc++.so.6"}, push, {"Cart::add(Item)", "cart.cpp"}, {"main", "main.cpp"}}, "Cart::add(Item)"},
		{[][2]string{{"operator new(unsigned long)", "libstdc++.so.6"}, push}, push[0]},
		{[][2]string{{"operator new(unsigned long)", "libstdc++.so.6"}, push, {"??", "app"}}, push[0]},
		{[][2]string{{"grow", "cart.c"}, {"main", "main.c"}}, "grow"},
	} {
		if got := keyFrames(c.frames...); got.Function != c.want {
			t.Errorf("%v is named after %q", c.frames, got.Function)
		}
	}
}

// With a secret, no name of the file is in any row, words are the same wherever the secret is, and the figures stay.
func TestRedactedRowsHaveNoNames(t *testing.T) {
	plain, p, _ := rowsOf(t, trace, about())
	secret := about()
	secret.Secret, secret.URI = []byte("key"), ""
	one, _, _ := rowsOf(t, trace, secret)
	two, _, _ := rowsOf(t, trace, secret)
	if !reflect.DeepEqual(one, two) {
		t.Error("the words differ from time to time")
	}
	secret.Secret = []byte("another")
	if other, _, _ := rowsOf(t, trace, secret); reflect.DeepEqual(one.Stacks, other.Stacks) || len(other.Stacks) != len(one.Stacks) {
		t.Error("the words do not depend on the secret")
	}
	text := fmt.Sprintf("%+v", one)
	for _, name := range slices.Concat(p.Stacks.Functions, p.Stacks.Files) {
		name = name[strings.LastIndexByte(name, '/')+1:]
		if len(name) > 3 && !kept()[name] && strings.Contains(text, name) {
			t.Errorf("%s is left", name)
		}
	}
	if len(one.Sites) != len(plain.Sites) || *one.Recordings[0].Leaked != *plain.Recordings[0].Leaked {
		t.Error("figures differ")
	}
}

// Names are text that engines store, whatever bytes a file has.
func TestHostileNames(t *testing.T) {
	s := keyFrames([2]string{"a\x1b[2J\x00\xff\tb\n", "c\td\n.c"})
	if len(s.Frames) != 1 || strings.Count(s.Frames[0], "\t") != 1 || strings.ContainsAny(s.Frames[0], "\x1b\x00\n") || !utf8.ValidString(s.Frames[0]) || s.File == "" {
		t.Errorf("%+v", s)
	}
}

// The stacks of a key are found again in the recording that it was made of.
func TestStacksOfAKey(t *testing.T) {
	s, leaf := stacks([2]string{"grow", "cart.c"}, [2]string{"main", "main.c"})
	s.Leaf = map[model.StackID]model.NodeID{9: leaf, 4: leaf, 2: s.Parent[leaf]}
	key := fleet.Key(keyFrames([2]string{"grow", "cart.c"}, [2]string{"main", "main.c"}).Stack)
	if ids := StacksOf(s, key); !slices.Equal(ids, []model.StackID{4, 9}) {
		t.Errorf("%v have the key", ids)
	}
	if ids := StacksOf(s, 1); len(ids) > 0 {
		t.Errorf("%v have a key of none", ids)
	}
}
