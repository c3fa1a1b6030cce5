// A program that allocates much, to measure what recording costs: JSON, maps and closures that come and go, some stay.
const kept = [];
let sum = 0;
for (let round = 0; round < 60; round++) {
  const rows = {};
  for (let i = 0; i < 4000; i++) rows['row' + i] = { name: 'row ' + i, tags: Array.from({ length: i % 20 }, (_, k) => k) };
  const text = JSON.stringify(rows);
  const words = text.match(/[a-z]+ \d+/g).map((w) => () => w);
  for (const w of words) sum += w().length;
  kept.push(Object.keys(JSON.parse(text)).slice(0, 100));
}
console.log(sum, kept.length);
