package memory

import (
	"strings"
	"testing"
	"testing/fstest"

	"golang.org/x/sys/unix"
)

func TestLimitsOfControlGroups(t *testing.T) {
	tests := []struct {
		name  string
		files map[string]string
		want  int64
	}{
		{"none", nil, 0},
		{"version 2", map[string]string{"proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/b/memory.max": "1000\n"}, 1000},
		{"version 2, no limit", map[string]string{"proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/b/memory.max": "max\n"}, 0},
		{"a parent's", map[string]string{"proc/self/cgroup": "0::/a/b/c\n", "sys/fs/cgroup/a/b/c/memory.max": "max\n",
			"sys/fs/cgroup/a/b/memory.max": "3000\n", "sys/fs/cgroup/a/memory.max": "2000\n"}, 2000},
		{"a container's root", map[string]string{"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "5000\n"}, 5000},
		{"a path that is the host's", map[string]string{"proc/self/cgroup": "4:cpu,memory:/docker/1f\n3:cpuset:/x\n0::/\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "4096\n"}, 4096},
		{"version 1", map[string]string{"proc/self/cgroup": "4:memory:/x/y\n", "sys/fs/cgroup/memory/x/y/memory.limit_in_bytes": "7000\n",
			"sys/fs/cgroup/memory/x/memory.limit_in_bytes": "9223372036854771712\n"}, 7000},
		{"other controllers", map[string]string{"proc/self/cgroup": "4:memoryless:/x\nodd\n", "sys/fs/cgroup/memory/x/memory.limit_in_bytes": "7\n"}, 0},
		{"no way out", map[string]string{"proc/self/cgroup": "0::/../../..\n", "sys/fs/cgroup/memory.max": "12\n"}, 12},
	}
	for _, tt := range tests {
		root := fstest.MapFS{}
		for name, text := range tt.files {
			root[name] = &fstest.MapFile{Data: []byte(text)}
		}
		if got := groupMemory(root); got != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, got, tt.want)
		}
	}
	root := fstest.MapFS{"proc/self/cgroup": {Data: []byte("0::/\n")}, "sys/fs/cgroup/memory.max": {Data: []byte("800000000\n")}}
	if got, err := System(root); got != 700000000 || err != nil {
		t.Errorf("of 800,000,000 bytes %d may be taken, %v", got, err)
	}
	root["sys/fs/cgroup/memory.max"].Data = []byte("9000000\n")
	if _, err := System(root); err == nil || !strings.Contains(err.Error(), "too little memory") {
		t.Errorf("9,000,000 bytes are enough: %v", err)
	}
	var old unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_DATA, &old); err != nil || old.Max < 1<<46 {
		t.Skip("no limit can be set", err)
	}
	defer unix.Setrlimit(unix.RLIMIT_DATA, &old)
	if err := unix.Setrlimit(unix.RLIMIT_DATA, &unix.Rlimit{Cur: 1 << 46, Max: old.Max}); err != nil {
		t.Skip(err)
	}
	if got, err := System(fstest.MapFS{}); got <= 0 || got > 1<<46*3/4 || err != nil {
		t.Errorf("of 2^46 bytes of data %d may be taken, %v", got, err)
	}
}

func TestTheLowerLimitHolds(t *testing.T) {
	const large = 1 << 50
	for _, tt := range []struct{ own, system, want int64 }{{0, 0, 0}, {large, 0, large}, {0, large, large}, {large, 2 * large, large}, {2 * large, large, large}} {
		b := NewBudget(tt.own, tt.system)
		if b.Limit() != tt.want {
			t.Errorf("--max-memory %d where the system allows %d: %d", tt.own, tt.system, b.Limit())
		}
		if said := b.Problem("x").Message; tt.want > 0 && strings.Contains(said, "--max-memory") != (tt.want == tt.own) {
			t.Errorf("--max-memory %d where the system allows %d: %s", tt.own, tt.system, said)
		}
	}
}
