package memory

import (
	"syscall"
	"unsafe"
)

// overrideWrite is called for everything that Go's runtime itself writes: what it says when it dies, above all. The
// runtime keeps name and type for programs that set it. It is set when the process begins, before anything runs, and
// stays.
//
//go:linkname overrideWrite runtime.overrideWrite
var overrideWrite = lastWords

// What the runtime writes first when it dies of itself, each in one piece.
const (
	beginFatal = "fatal error: "
	beginShort = "runtime: out of memory"
	beginFault = "SIGSEGV: " // in the runtime's own code: elsewhere it is a panic
)

// probed is how much memory there must be, in bytes, for a fault of the runtime to be anything else than a want of it.
const probed = 64 << 20

// modes are a terminal's, in no particular form.
var modes [256]byte

// fatal says that the runtime has begun to say what it dies of.
var fatal bool

// lastWords writes what the runtime says, unless that is a want of memory: then it says so in a sentence, and ends the
// process. It runs where there may be neither memory nor a goroutine, nor any package's variables.
//
//go:norace
func lastWords(fd uintptr, p unsafe.Pointer, n int32) int32 {
	text := unsafe.String((*byte)(p), n)
	if fd != uintptr(syscall.Stderr) {
		return writeRaw(fd, text)
	}
	if text == beginFatal {
		fatal = true
		return n
	}
	if within(text, beginShort) || fatal && within(text, "memory") || within(text, beginFault) && starved() {
		if _, _, err := syscall.RawSyscall(syscall.SYS_IOCTL, fd, syscall.TCGETS, uintptr(unsafe.Pointer(&modes))); err == 0 {
			writeRaw(fd, "\r\x1b[K") // progress may be shown there
		}
		writeRaw(fd, LastWords)
		syscall.RawSyscall(syscall.SYS_EXIT_GROUP, LastStatus, 0, 0)
	}
	if fatal {
		fatal = false
		writeRaw(fd, beginFatal)
	}
	return writeRaw(fd, text)
}

// starved reports whether the system gives no more memory. Where it was refused before, Go's collector may use what it
// did not get.
//
//go:norace
func starved() bool {
	_, _, err := syscall.RawSyscall6(syscall.SYS_MMAP, 0, probed, syscall.PROT_NONE, syscall.MAP_ANON|syscall.MAP_PRIVATE, ^uintptr(0), 0)
	return err != 0
}

//go:norace
func writeRaw(fd uintptr, text string) int32 {
	n, _, err := syscall.RawSyscall(syscall.SYS_WRITE, fd, uintptr(unsafe.Pointer(unsafe.StringData(text))), uintptr(len(text)))
	if err != 0 {
		return -1
	}
	return int32(n)
}

// within reports whether text contains part.
//
//go:norace
func within(text, part string) bool {
	for ; len(text) >= len(part); text = text[1:] {
		if text[:len(part)] == part {
			return true
		}
	}
	return false
}
