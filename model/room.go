package model

import (
	"sync"
	"unsafe"
)

// Mapped is memory that a file beside the program's own memory stands for.
type Mapped struct {
	Bytes []byte // zeros
	// Forget gives back what of it is in memory. Its contents stay, in the file.
	Forget func()
	Close  func() // after that Bytes must not be touched
}

// Room makes the large columns of one piece of work: in memory, or in mapped files where a budget has no room for them.
// Any goroutine may use it. nil makes them in memory.
type Room struct {
	budget *Budget

	mu    sync.Mutex
	free  []byte // of the last file
	files []roomFile
}

type roomFile struct {
	Mapped
	unheard func()
}

const (
	roomFileBytes = 32 << 20 // that a file has at least
	roomColumn    = 64 << 10 // bytes of a column that is worth a place in a file
	roomAlign     = 64
)

// Room returns where columns that take so many bytes together are made. Only half of what is left may be spent on them,
// as other things are made of them.
func (b *Budget) Room(bytes int64) *Room {
	if b == nil || b.Map == nil || b.Fits(2*bytes) {
		return nil
	}
	return &Room{budget: b}
}

// Fits is [Budget.Fits] of columns that are made in the room: files always have room.
func (r *Room) Fits(b *Budget, bytes int64) bool { return r != nil || b.Fits(bytes) }

// Close gives back all files. No column of the room may be used any more.
func (r *Room) Close() {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, f := range r.files {
		f.unheard()
		f.Close()
	}
	r.files, r.free = nil, nil
}

// take returns bytes of a file, nil where there is none for them.
func (r *Room) take(bytes int) []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	if bytes > len(r.free) {
		m, err := r.budget.Map(int64(max(bytes, roomFileBytes)))
		if err != nil {
			return nil
		}
		r.files = append(r.files, roomFile{m, r.budget.AtPressure(m.Forget)})
		r.free = m.Bytes
	}
	taken := r.free[:bytes:bytes]
	r.free = r.free[min((bytes+roomAlign-1)/roomAlign*roomAlign, len(r.free)):]
	return taken
}

// MakeColumn returns n zeros. T has no pointers. Where no file can be had, as the disk is full, it is made in memory
// after all.
func MakeColumn[T any](r *Room, n int) []T {
	bytes := n * int(unsafe.Sizeof(*new(T)))
	if r == nil || bytes < roomColumn {
		return make([]T, n)
	}
	b := r.take(bytes)
	if b == nil {
		return make([]T, n)
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), n)
}

// CloneColumn returns a copy of a list that has no room to grow.
func CloneColumn[T any](r *Room, list []T) []T {
	c := MakeColumn[T](r, len(list))
	copy(c, list)
	return c
}
