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

// An index is trusted, as its checksums are not secret: whoever writes one determines the results. So it is used only
// if only the user or root can have written it: the file and its folder must belong to one of them, and neither
// may be writable for others. A sticky folder does not suffice, as others can create files there. All checks are made
// on open files, and files are opened relative to the checked folder, so that nothing can be replaced in between.

// writableByOthers are the mode bits that let others write. For a file with an access control list, Linux shows its
// mask in the group bits.
const writableByOthers = 0o022

// ownership is the owner and the mode of a file.
type ownership struct {
	owner uint32
	mode  fs.FileMode
}

// ownershipOf returns the ownership in a FileInfo.
func ownershipOf(info fs.FileInfo) (o ownership, known bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return o, false
	}
	return ownership{st.Uid, info.Mode()}, true
}

// distrust returns why a file or folder is not trusted by a user, "" if it is.
func (o ownership) distrust(user uint32) string {
	switch {
	case o.owner != user && o.owner != 0:
		return fmt.Sprintf("belongs to another user (%d)", o.owner)
	case o.mode.Perm()&writableByOthers != 0:
		return fmt.Sprintf("can be written by others (%04o)", o.mode.Perm())
	}
	return ""
}

// errNotOwn is why an index file is not used, or not written: someone other than the user and root may have changed it.
var errNotOwn = errors.New("not trusted")

// trusted fails unless a file or folder, called what in the error, is trusted.
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

// openFolder opens a folder if index files in it are trusted. The caller closes it.
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

// openTrusted opens a trusted file to read, with its FileInfo. It need not be a regular one.
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

// makeFolder creates the program's folder, for the user only; an existing one of the user's gets that mode. That does
// not make an index of another user in it trusted.
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

// createTemp creates a file in a folder, for the user only, with a name that begins with the given one.
func createTemp(root *os.Root, name string) (f *os.File, temp string, err error) {
	temp = name + "." + rand.Text() + TempSuffix
	f, err = root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, ownFile)
	return f, temp, err
}
