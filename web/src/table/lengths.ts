// The condition for what is as long as a class of lengths says, whose limits are picoseconds; the last class has no
// upper limit. Rows about several lengths have the shortest and the longest in columns of their own.
export function lengthFilter(
  from: number,
  below: number | null,
  shortest: string,
  longest = shortest,
): string {
  const words = [from > 0 && `${longest}>=${limit(from)}`, below !== null && `${shortest}<${limit(below)}`];
  return words.filter(Boolean).join(' ');
}

const limit = (ps: number): string => (ps < 1e9 ? `${ps / 1e6}us` : `${ps / 1e9}ms`);
