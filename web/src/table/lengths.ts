// The condition for what has a length that a report puts in words: "below 10 µs", "10 to 100 µs", "1 ms and more". Rows
// about several lengths have the shortest and the longest in columns of their own.
export function lengthFilter(words: string, shortest: string, longest = shortest): string {
  const found = [...words.matchAll(/(\d+)(?: ([µm]s))?/g)];
  const [first, last] = found.map(([, number, unit = found.at(-1)![2]!]) => number + unit.replace('µ', 'u'));
  if (/more$/.test(words)) return `${longest}>=${first}`;
  return last === undefined ? `${shortest}<${first}` : `${longest}>=${first} ${shortest}<${last}`;
}
