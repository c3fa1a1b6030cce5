// A shop that leaks: every session stays, while its cache is bounded.
const leaked = [];
const cache = new Map();
let i = 0;
function openSession() { leaked.push({ id: i, data: new Array(200).fill(i) }); }
function cachePage() { cache.set(i % 100, new Array(200).fill(i)); }
const work = setInterval(() => { for (let k = 0; k < 50; k++, i++) { openSession(); cachePage(); } }, 10);
setTimeout(() => { clearInterval(work); console.log(leaked.length); }, 2000);
