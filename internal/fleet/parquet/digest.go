package parquet

import (
	"crypto/sha256"
	"encoding/hex"
)

// digest returns a short word that differs for different names.
func digest(name string) string {
	sum := sha256.Sum256([]byte(name))
	return hex.EncodeToString(sum[:16])
}
