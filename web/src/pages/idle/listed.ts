// How much of what is counted the table of gaps has: all of 10 µs or more, and at least the 20 longest of each device.
import { type Document, isColumn, type Row, rowsOf } from '../../api/document';
import { count, time } from '../../format/numbers';
import { parseFilter } from '../../table/filter';
import { lengthFilter } from '../../table/lengths';

export interface Listed {
  readonly of?: number; // gaps, where fewer are listed
  readonly about?: string;
}

const rule =
  'gaps of 10 µs or more, and at least the 20 longest of each device. Shorter ones are only counted.';

// `filter` is that of the table; of any other than of a length it is not known how many gaps pass it. Of a cause the
// time is known, not in how many gaps it lies.
export function gapsListed(document: Document, cause: string, filter: string): Listed {
  const gaps = rowsOf(document, 'idle_gaps');
  if (cause) {
    const causes = rowsOf(document, 'idle');
    const all = causes.number(causes.find('cause', cause), 'idle') ?? 0;
    const column = `by_${cause}`;
    const here = isColumn(gaps, column) ? gaps.sum(column) : 0;
    return here < all ? { about: `${time(here)} of ${time(all)} in all, in ${rule}` } : {};
  }
  const lengths = rowsOf(document, 'gap_lengths');
  const limits = (row: Row): string =>
    lengthFilter(lengths.number(row, 'from') ?? 0, lengths.number(row, 'below'), 'duration');
  const meant = lengths.all.filter(row => filter === '' || filter === limits(row));
  const of = meant.reduce((sum, row) => sum + (lengths.number(row, 'gaps') ?? 0), 0);
  const test = parseFilter(gaps.table.columns, filter).test ?? (() => true);
  const here = gaps.all.filter(test).length;
  return here < of ? { of, about: `${count(here)} of ${count(of)}: ${rule}` } : {};
}
