// Built by make.sh; its binary and what llvm-addr2line says about it are kept beside it.
#include <string>
#include <vector>

namespace shop {
template <typename T> struct Cache {
	std::vector<T> rows;
	inline void put(const T &t) { rows.push_back(t); }
};

struct Session {
	std::string name;
	static inline char *buffer(int n) { return new char[n]; }
	__attribute__((noinline)) char *open(int n) { return buffer(n + 1); }
};

static __attribute__((noinline)) int fill(Cache<std::string> &c, int n) {
	for (int i = 0; i < n; i++)
		c.put(std::string(64, 'x'));
	return n;
}
} // namespace shop

extern "C" __attribute__((noinline)) int plain(int n) { return n * 3; }

int main(int argc, char **) {
	shop::Cache<std::string> c;
	shop::Session s{"a"};
	char *p = s.open(argc);
	return shop::fill(c, argc) + plain(argc) + p[0];
}
