package symbols

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memtui/memtui/loaders"
)

// bigBinary returns the binary that MEMTUI_SYMBOLS names, or makes one of about 90 MB: a C++ unit of 5 MB, linked many
// times.
func bigBinary(b *testing.B) string {
	b.Helper()
	if file := os.Getenv("MEMTUI_SYMBOLS"); file != "" {
		return file
	}
	const copies = 52
	dir := b.TempDir()
	var unit strings.Builder
	for _, h := range strings.Fields("map regex unordered_map algorithm vector string set sstream deque") {
		fmt.Fprintf(&unit, "#include <%s>\n", h)
	}
	unit.WriteString("struct K { int a; std::string s; bool operator<(const K &o) const { return a < o.a || (a == o.a && s < o.s); } };\n")
	for i := range 6 {
		fmt.Fprintf(&unit, `std::map<K, std::vector<std::string>> g%d;
int f%d(const std::string &s, int x) {
	std::regex r(s); std::set<K> q; std::deque<K> d; std::unordered_map<std::string, int> u;
	for (int i = 0; i < x; i++) { q.insert(K{i, s}); d.push_back(K{i, s}); u[s] += i; g%d[K{i, s}].push_back(s); }
	std::sort(d.begin(), d.end()); std::ostringstream o; o << u.size() << q.size();
	return std::regex_match(o.str(), r);
}
`, i, i, i)
	}
	for name, text := range map[string]string{"unit.cpp": unit.String(), "main.cpp": "int main() { return 0; }\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	tool(b, dir, "g++", "-O2", "-g", "-c", "unit.cpp", "-o", "u0.o")
	args := []string{"-g", "main.cpp", "-Wl,-z,muldefs", "-Wl,--build-id=sha1", "-o", "big"}
	for i := range copies {
		if i > 0 {
			if err := os.Link(filepath.Join(dir, "u0.o"), filepath.Join(dir, fmt.Sprintf("u%d.o", i))); err != nil {
				b.Fatal(err)
			}
		}
		args = append(args, fmt.Sprintf("u%d.o", i))
	}
	tool(b, dir, "g++", args...)
	return filepath.Join(dir, "big")
}

// BenchmarkResolve names 2,000 addresses of a big binary: for the first time, and once they are kept.
func BenchmarkResolve(b *testing.B) {
	file := bigBinary(b)
	info, err := os.Stat(file)
	if err != nil {
		b.Fatal(err)
	}
	m := moduleOf(b, file, absolute(b, file), loadedAt)
	addrs := randomAddresses(b, file, 2000)
	measure := func(name string, opt loaders.Symbols) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				resolved(b, opt, m, addrs...)
			}
			b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N), "ms")
			b.ReportMetric(float64(info.Size()>>20), "MiB")
		})
	}
	measure("cold", loaders.Symbols{})
	cache := &memory{kept: map[string][]byte{}}
	resolved(b, loaders.Symbols{Names: cache}, m, addrs...)
	measure("warm", loaders.Symbols{Names: cache})
}
