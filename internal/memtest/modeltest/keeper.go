package modeltest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"sync"
	"testing"

	"github.com/memtui/memtui/model/sections"
)

// Keeper stores files in memory. It implements [sections.Cache], but writes at once.
type Keeper struct {
	T testing.TB

	mu        sync.Mutex
	files     map[string][]byte
	taken     int
	discarded []string
}

// Open implements [sections.Cache].
func (k *Keeper) Open(name string) (*sections.File, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	data, ok := k.files[name]
	if !ok {
		return nil, fs.ErrNotExist
	}
	k.taken++
	data = slices.Clone(data)
	return &sections.File{Data: data, At: bytes.NewReader(data), Close: func() {}}, nil
}

// Key implements [sections.Cache].
func (k *Keeper) Key() sections.Key { return sections.Key{7} }

// Keep implements [sections.Cache].
func (k *Keeper) Keep(name string, write func(ctx context.Context, w io.Writer) error) {
	if err := k.Write(k.T.Context(), name, write); err != nil {
		k.T.Error(err)
	}
}

// Write implements [sections.Cache].
func (k *Keeper) Write(ctx context.Context, name string, write func(ctx context.Context, w io.Writer) error) error {
	var b bytes.Buffer
	if err := write(ctx, &b); err != nil {
		return err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.files == nil {
		k.files = map[string][]byte{}
	}
	k.files[name] = b.Bytes()
	return nil
}

// Discard implements [sections.Cache].
func (k *Keeper) Discard(name string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.files, name)
	k.discarded = append(k.discarded, name)
}

// Damage changes a byte of every file.
func (k *Keeper) Damage(at int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, data := range k.files {
		data[at%len(data)] ^= 0x10
	}
}

// String returns how many files there are, how often one was opened, and how many were discarded.
func (k *Keeper) String() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return fmt.Sprintf("%d files, %d taken, %d discarded", len(k.files), k.taken, len(k.discarded))
}

// Doubtful returns what notes a large kept file that was taken into use. A damaged one was not found to be damaged yet.
func Doubtful(t testing.TB, damaged bool) (*sections.Uses, *Keeper) {
	t.Helper()
	k, format, big := &Keeper{T: t}, sections.Format{Magic: "doubt", Version: 1}, make([]uint32, 9<<20)
	list := func(c *sections.Codec) { sections.Array(c, "big", &big) }
	format.Keep(k, "big", list)
	if damaged {
		k.Damage(len(big) * 4 / 5)
	}
	uses := &sections.Uses{}
	if format.Restore(uses.In(t.Context()), k, "big", sections.Layout(list), list) == nil {
		t.Fatal("it is not used")
	}
	return uses, k
}
