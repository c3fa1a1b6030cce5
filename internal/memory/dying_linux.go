package memory

import (
	"syscall"
	"unsafe"
)

// overrideWrite is called for everything that Go's runtime itself writes, above all fatal errors. The runtime keeps its
// name and type stable for programs that set it. It is set at link time and never changes.
//
//go:linkname overrideWrite runtime.overrideWrite
var overrideWrite = lastWords

// First writes of the runtime's own fatal errors, each in one piece.
const (
	beginFatal = "fatal error: "
	beginShort = "runtime: out of memory"
	beginFault = "SIGSEGV: " // in the runtime's own code: elsewhere it is a panic
)

// probed is how many bytes of memory must be available for a fault of the runtime to have a cause other than lack of
// memory.
const probed = 64 << 20

// modes are a terminal's modes, as raw bytes.
var modes [256]byte

// fatal reports that the runtime has begun to write a fatal error.
var fatal bool

// lastWords writes the output of the runtime, unless that reports lack of memory: then it writes one sentence, and ends
// the process. It may run without memory, without a goroutine, and without any package's variables.
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
	if within(text, beginShort) || fatal && within(text, "memory") || within(text, beginFault) && stalled() {
		if _, _, err := syscall.RawSyscall(syscall.SYS_IOCTL, fd, syscall.TCGETS, uintptr(unsafe.Pointer(&modes))); err == 0 {
			writeRaw(fd, "\r\x1b[K") // progress may be shown there
		}
		writeRaw(fd, lastMessage)
		syscall.RawSyscall(syscall.SYS_EXIT_GROUP, lastStatus, 0, 0)
	}
	if fatal {
		fatal = false
		writeRaw(fd, beginFatal)
	}
	return writeRaw(fd, text)
}

// stalled reports whether the system refuses more memory. After a refusal, Go's collector may access memory that it did
// not get.
//
//go:norace
func stalled() bool {
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
