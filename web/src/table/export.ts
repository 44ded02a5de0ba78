// Tables as text for other programs: the columns with their unit in brackets, raw values, as `gait --csv`.
import type { Column, Row } from '../api/document';
import { cellText } from './filter';

export const heading = (column: Column): string =>
  column.unit ? `${column.name} [${column.unit}]` : column.name;

// A spreadsheet would run a text that begins so: an apostrophe makes it text there, too. Numbers may begin with -.
// The list is that of report/csv.cc.
const harmless = (cell: Row[number]): string =>
  typeof cell !== 'number' && /^[=+\-@＝＋－＠\t\r\n]/.test(cellText(cell))
    ? `'${cellText(cell)}`
    : cellText(cell);

function delimited(
  columns: readonly Column[],
  rows: readonly Row[],
  write: (text: string) => string,
  by: string,
) {
  const lines = [columns.map(column => write(harmless(heading(column)))).join(by)];
  for (const row of rows) lines.push(row.map(cell => write(harmless(cell))).join(by));
  return `${lines.join('\n')}\n`;
}

const csvField = (text: string): string =>
  /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
const tsvField = (text: string): string => text.replace(/[\t\r\n]+/g, ' ');

export const toCsv = (columns: readonly Column[], rows: readonly Row[]): string =>
  delimited(columns, rows, csvField, ',');
export const toTsv = (columns: readonly Column[], rows: readonly Row[]): string =>
  delimited(columns, rows, tsvField, '\t');
export const toJson = (name: string, columns: readonly Column[], rows: readonly Row[]): string =>
  `${JSON.stringify({ [name]: { columns, rows } }, null, 1)}\n`;

// Whether it worked. Outside https and this machine a browser has no clipboard, only the command of old.
export async function copyText(text: string): Promise<boolean> {
  if (navigator.clipboard) {
    return navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    );
  }
  const focused = document.activeElement as HTMLElement | null;
  const box = document.createElement('textarea');
  box.value = text;
  box.style.position = 'fixed'; // in sight: the page does not scroll to it
  box.style.top = '0';
  document.body.append(box);
  box.select();
  const done = document.execCommand('copy');
  box.remove();
  focused?.focus();
  return done;
}

export function download(name: string, type: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
