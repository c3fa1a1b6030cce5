//go:build parquet

package parquet

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// encoded returns a name as a part of a path that means the same to every system, and to engines that read the values of
// partitions: each byte other than letters, digits, - and _ is %XX. No part is empty.
func encoded(name string) string {
	const digits = "0123456789ABCDEF"
	var out strings.Builder
	for i := range len(name) {
		switch c := name[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '-', c == '_':
			out.WriteByte(c)
		default:
			out.WriteString("%" + digits[c>>4:c>>4+1] + digits[c&15:c&15+1])
		}
	}
	if out.Len() == 0 {
		return "__HIVE_DEFAULT_PARTITION__"
	}
	if out.Len() > 200 { // of the 255 bytes that systems allow
		return out.String()[:160] + "-" + digest(name)
	}
	return out.String()
}

// digest returns a short word that differs for different names.
func digest(name string) string {
	sum := sha256.Sum256([]byte(name))
	return hex.EncodeToString(sum[:16])
}
