package indexcache

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// An index is believed, as its checksums are no secret: whoever writes one says what a trace comes down to. So it is
// used only where only the user, or root, can have written it: it and its folder must belong to one of them, and
// neither may be writable for others. That a folder is sticky does not help, as others can make files there. Everything
// is asked of what was opened, and files are opened by way of the folder that was asked, so that nothing can be put in
// their place in between.

// writableByOthers are the bits of a mode that let others write. Where a file has an access control list, those of the
// group stand for all of it on Linux.
const writableByOthers = 0o022

// ownership is who owns a file, and who may write it.
type ownership struct {
	owner uint32
	mode  fs.FileMode
}

// ownershipOf returns what the system said about a file.
func ownershipOf(info fs.FileInfo) (o ownership, known bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return o, false
	}
	return ownership{st.Uid, info.Mode()}, true
}

// distrust says why what a user finds in a file or folder is not believed, "" where it is.
func (o ownership) distrust(user uint32) string {
	switch {
	case o.owner != user && o.owner != 0:
		return fmt.Sprintf("belongs to another user (%d)", o.owner)
	case o.mode.Perm()&writableByOthers != 0:
		return fmt.Sprintf("can be written by others (%04o)", o.mode.Perm())
	}
	return ""
}

// errNotOwn is why an index file is not used, or not written: others than the user and root may have a hand in it.
var errNotOwn = errors.New("not trusted")

// trusted fails unless a file or folder, named so, is believed.
func trusted(what string, info fs.FileInfo) error {
	o, known := ownershipOf(info)
	if !known {
		return fmt.Errorf("%w: the owner of %s is unknown", errNotOwn, what)
	}
	if why := o.distrust(uint32(os.Geteuid())); why != "" {
		return fmt.Errorf("%w: %s %s", errNotOwn, what, why)
	}
	return nil
}

// openFolder opens a folder that index files are believed in. The caller closes it.
func openFolder(dir string) (*os.Root, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	info, err := root.Stat(".")
	if err == nil {
		err = trusted("its folder", info)
	}
	if err != nil {
		root.Close()
		return nil, err
	}
	return root, nil
}

// openTrusted opens a file to read, with what the system says about it. It need not be a regular one.
func openTrusted(root *os.Root, name string) (*os.File, fs.FileInfo, error) {
	f, err := root.OpenFile(name, os.O_RDONLY|unix.O_NONBLOCK, 0) // a FIFO must not block
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil {
		err = trusted("it", info)
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// makeFolder makes the program's own folder, for the user alone; one that is there and the user's own becomes so. An
// index of another that lies there already is not believed for that.
func makeFolder(dir string) error {
	if err := os.MkdirAll(dir, ownFolder); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	info, err := root.Stat(".")
	if err != nil {
		return err
	}
	if o, known := ownershipOf(info); known && o.owner == uint32(os.Geteuid()) && o.mode.Perm() != ownFolder {
		return root.Chmod(".", ownFolder)
	}
	return nil
}

const (
	ownFolder = 0o700
	ownFile   = 0o600
)

// createTemp makes a new file in a folder, for the user alone, whose name begins like that of another.
func createTemp(root *os.Root, name string) (f *os.File, temp string, err error) {
	temp = name + "." + rand.Text() + TempSuffix
	f, err = root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, ownFile)
	return f, temp, err
}
