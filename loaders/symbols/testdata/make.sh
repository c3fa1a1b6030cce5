#!/bin/sh
# Makes the binaries that the tests read, on Debian 12 with g++ 12.2 and binutils 2.40.
set -e
cd "$(dirname "$0")"
flags="-O2 -g -ffile-prefix-map=$PWD=/src"
g++ $flags -Wl,--build-id=sha1 -o /tmp/sample.full sample.cpp
g++ $flags -gdwarf-4 -no-pie -Wl,--build-id=none -o /tmp/sample.old sample.cpp
objcopy --only-keep-debug --compress-debug-sections=zlib /tmp/sample.full /tmp/sample.debug
strip -o /tmp/sample.stripped /tmp/sample.full
(cd /tmp && objcopy --add-gnu-debuglink=sample.debug sample.stripped)
for f in full old debug stripped; do gzip -9n </tmp/sample.$f >sample.$f.gz; done
for f in full old; do
	# Of DWARF 5, addr2line of binutils 2.40 takes the first file for the second one.
	tool=llvm-addr2line; [ $f = full ] || tool=addr2line
	# Every fifth address of the code of this program.
	nm -S --defined-only /tmp/sample.$f | awk '$3 ~ /[TtWw]/ && $4 ~ /^(main|plain|_ZN.*)$/ { print $1, $2 }' | sort -u | while read -r start size; do
		i=0; while [ $i -lt $((0x$size)) ]; do printf '0x%x\n' $((0x$start + i)); i=$((i + 5)); done
	done | $tool -a -i -f -C -e /tmp/sample.$f | sed 's/ (discriminator [0-9]*)$//' | gzip -9n >sample.$f.txt.gz
	rm /tmp/sample.$f
done
rm /tmp/sample.debug /tmp/sample.stripped
