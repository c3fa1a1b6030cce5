package memory

import (
	"os"
	"path/filepath"

	"github.com/memtui/memtui/model"
	"golang.org/x/sys/unix"
)

// mapFile returns memory of an unlinked file, which is freed with the process. The file is in the user's cache, as the
// folder for temporary files may be in memory itself.
func mapFile(bytes int64) (model.Mapped, error) {
	f, err := nameless()
	if err != nil {
		return model.Mapped{}, err
	}
	defer f.Close()
	if err := reserve(f, bytes); err != nil { // a page that does not fit the disk would end the process
		return model.Mapped{}, err
	}
	b, err := unix.Mmap(int(f.Fd()), 0, int(bytes), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return model.Mapped{}, err
	}
	return model.Mapped{
		Bytes:  b,
		Forget: func() { _ = unix.Madvise(b, unix.MADV_DONTNEED) }, // errors are harmless
		Close:  func() { _ = unix.Munmap(b) },                      // fails only for addresses that are not a mapping
	}, nil
}

func nameless() (*os.File, error) {
	dir := ""
	if cache, err := os.UserCacheDir(); err == nil {
		dir = filepath.Join(cache, "memtui")
	}
	f, err := os.CreateTemp(dir, "memtui-*")
	if err != nil && dir != "" { // there is no such folder
		f, err = os.CreateTemp("", "memtui-*")
	}
	if err == nil {
		err = os.Remove(f.Name())
	}
	return f, err
}
