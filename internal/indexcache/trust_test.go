package indexcache

import (
	"io/fs"
	"testing"
)

func TestDistrust(t *testing.T) {
	const user = 1000
	for _, c := range []struct {
		o    ownership
		want string
	}{
		{ownership{user, 0o600}, ""},
		{ownership{user, 0o644}, ""},
		{ownership{0, fs.ModeDir | 0o755}, ""},
		{ownership{1001, 0o600}, "belongs to another user (1001)"},
		{ownership{user, 0o620}, "can be written by others (0620)"},
		{ownership{0, 0o602}, "can be written by others (0602)"},
		{ownership{0, fs.ModeDir | fs.ModeSticky | 0o777}, "can be written by others (0777)"},
	} {
		if got := c.o.distrust(user); got != c.want {
			t.Errorf("%+v: %q, want %q", c.o, got, c.want)
		}
	}
}
