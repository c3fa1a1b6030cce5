package model

import (
	"sync"
	"unsafe"
)

// Mapped is memory backed by a file rather than by the program's own memory.
type Mapped struct {
	Bytes []byte // zeros
	// Forget frees the physical memory. The contents stay, in the file.
	Forget func()
	Close  func() // after that Bytes must not be touched
}

// Room allocates the large columns of one piece of work: in memory, or in mapped files if they do not fit a budget. Any
// goroutine may use it. A nil Room allocates in memory.
type Room struct {
	budget *Budget

	mu    sync.Mutex
	taken int64  // bytes of files that were given out
	err   error  // why the last file could not be created
	free  []byte // of the last file
	files []roomFile
}

type roomFile struct {
	Mapped
	unregister func()
}

const (
	roomFileBytes = 32 << 20 // minimum size of a file
	roomColumn    = 64 << 10 // minimum size of a column in a file
	roomAlign     = 64
)

// Room returns where to allocate columns of the given total size. They may take only half of what is left in memory, as
// other data is computed from them.
func (b *Budget) Room(bytes int64) *Room {
	if b == nil || b.Map == nil || b.Fits(2*bytes) {
		return nil
	}
	return &Room{budget: b}
}

// Files returns a room whose columns are in mapped files, nil if there can be none.
func (b *Budget) Files() *Room {
	if b == nil || b.Map == nil {
		return nil
	}
	return &Room{budget: b}
}

// Taken returns how many bytes are in files rather than in memory.
func (r *Room) Taken() int64 {
	if r == nil {
		return 0
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.taken
}

// Err returns why the last file could not be created, nil if it was.
func (r *Room) Err() error {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// Fits is [Budget.Fits] for columns allocated in the room: files always fit.
func (r *Room) Fits(b *Budget, bytes int64) bool { return r != nil || b.Fits(bytes) }

// Close frees all files. No column of the room may be used afterwards.
func (r *Room) Close() {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, f := range r.files {
		f.unregister()
		f.Close()
	}
	r.files, r.free = nil, nil
}

// take returns bytes of a file, or nil if they do not fit.
func (r *Room) take(bytes int) []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	if bytes > len(r.free) {
		m, err := r.budget.Map(int64(max(bytes, roomFileBytes)))
		if r.err = err; err != nil {
			return nil
		}
		r.files = append(r.files, roomFile{m, r.budget.AtPressure(m.Forget)})
		r.free = m.Bytes
	}
	r.taken += int64(bytes)
	taken := r.free[:bytes:bytes]
	r.free = r.free[min((bytes+roomAlign-1)/roomAlign*roomAlign, len(r.free)):]
	return taken
}

// MakeColumn returns n zeros. T has no pointers. If no file can be created, as the disk is full, it allocates in
// memory.
func MakeColumn[T any](r *Room, n int) []T {
	if n*int(unsafe.Sizeof(*new(T))) < roomColumn {
		return make([]T, n)
	}
	return makeAny[T](r, n)
}

// makeAny is MakeColumn for columns of any size.
func makeAny[T any](r *Room, n int) []T {
	bytes := n * int(unsafe.Sizeof(*new(T)))
	if r == nil || bytes == 0 {
		return make([]T, n)
	}
	b := r.take(bytes)
	if b == nil {
		return make([]T, n)
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), n)
}

// CloneColumn returns a copy of a list without spare capacity.
func CloneColumn[T any](r *Room, list []T) []T {
	c := MakeColumn[T](r, len(list))
	copy(c, list)
	return c
}

// Keep is CloneColumn for lists that may be short but are many.
func Keep[T any](r *Room, list []T) []T {
	c := makeAny[T](r, len(list))
	copy(c, list)
	return c
}
