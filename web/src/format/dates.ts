const two = (n: number): string => String(n).padStart(2, '0');

// "2026-11-15 00:29", in UTC as the command writes it.
export function dateTime(seconds: number | null | undefined): string {
  if (seconds === null || seconds === undefined) return '';
  const at = new Date(seconds * 1000);
  return `${at.getUTCFullYear()}-${two(at.getUTCMonth() + 1)}-${two(at.getUTCDate())} ${two(at.getUTCHours())}:${two(at.getUTCMinutes())}`;
}
