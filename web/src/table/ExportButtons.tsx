// Copies rows as TSV and downloads them as CSV and JSON.
import { createSignal, type JSX } from 'solid-js';
import type { Column, Row } from '../api/document';
import { copyText, download, toCsv, toJson, toTsv } from './export';

export interface ExportButtonsProps {
  readonly name: string; // of the downloads
  readonly columns: readonly Column[];
  readonly rows: () => readonly Row[];
  readonly shown?: readonly number[]; // the columns that are copied; else all
}

export function ExportButtons(props: ExportButtonsProps): JSX.Element {
  const [outcome, setOutcome] = createSignal('');
  let said: ReturnType<typeof setTimeout> | undefined;
  const copy = async (): Promise<void> => {
    const indices = props.shown ?? props.columns.map((_, i) => i);
    const text = toTsv(
      indices.map(i => props.columns[i]!),
      props.rows().map(row => indices.map(i => row[i] ?? null)),
    );
    const copied = await copyText(text);
    setOutcome(copied ? 'copied' : 'the browser does not let pages copy');
    clearTimeout(said);
    said = setTimeout(() => setOutcome(''), copied ? 1500 : 5000);
  };
  return (
    <>
      <button type="button" title="copy the rows and columns shown, as TSV" onClick={copy}>
        {outcome() || 'copy'}
      </button>
      <button
        type="button"
        title="download the rows shown with all columns, as CSV"
        onClick={() => download(`${props.name}.csv`, 'text/csv', toCsv(props.columns, props.rows()))}
      >
        CSV
      </button>
      <button
        type="button"
        title="download the rows shown with all columns, as JSON"
        onClick={() =>
          download(`${props.name}.json`, 'application/json', toJson(props.name, props.columns, props.rows()))
        }
      >
        JSON
      </button>
    </>
  );
}
