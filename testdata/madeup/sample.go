package madeup

import "strings"

// Sample returns a file of two snapshots. A cache refers to a blob of six gigabytes that a registry also refers to
// weakly; between the snapshots the cache gets a second one, of 100,000 bytes. The text of a cell would clear a
// terminal. A slot has an index beyond 2^32.
func Sample() []byte {
	first := `snapshot	1000
row	ground	-	-	-	0	0	
row	stack	main loop	-	-	0	0	
row	cell	Cache	shop.store	old	96	1000	
row	blob	Picture	shop.media	large	6000000000	2000	
row	cell	Note	shop.store	young	48	3000	hello` + "\x1b[2J" + ` there, this is a note that goes on and on
row	class	Cache	shop.store	old	512	4000	
row	cell	Registry	shop.media	old	70000	5000	
ref	0	1	strong	
ref	1	2	strong	cache
ref	1	6	strong	registry
ref	2	3	strong	pictures
ref	2	4	strong	[7]
ref	2	5	strong	class
ref	6	3	weak	referent
ref	6	4	weak	[5000000000]
`
	second := strings.Replace(first, "\t1000\n", "\t2000\n", 1) + `row	blob	Picture	shop.media	large	100000	6000	
ref	2	7	strong	[1]
`
	return []byte(magic + first + second)
}
