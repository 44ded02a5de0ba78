import { createMemo, type JSX, Show } from 'solid-js';
import { type Document, type Row, rowsOf } from '../../api/document';
import { severalHosts } from '../../api/hosts';
import { Empty, Page, Section } from '../../app/Page';
import { follow } from '../../app/router';
import { createDocument } from '../../app/session';
import { areaHref, pageHref, sliceFromHref, viewQuery } from '../../app/view';
import { BarList } from '../../charts/BarList';
import { chooseStyle, formatNumber, percents } from '../../format/numbers';
import { DataTable } from '../../table/DataTable';
import { words } from '../../table/layout';

export function Compilation(): JSX.Element {
  const document = createDocument(() => 'compile', viewQuery);
  return (
    <Page of={document}>
      {shown => (
        <Show
          when={rowsOf(shown(), 'compiles').length > 0}
          fallback={
            <Empty>
              Nothing was compiled while this capture ran, which is what you want in steps that are measured.
              To see compilations, begin the capture before the first call of the function.
            </Empty>
          }
        >
          <Phases document={shown()} />
          <Compiles document={shown()} />
          <DataTable
            name="compile_functions"
            title="By function"
            table={rowsOf(shown(), 'compile_functions').table}
            columns={[
              { name: 'function', link: compilesOf(shown()) },
              { name: 'compiles', link: compilesOf(shown()) },
              { name: 'from_cache' },
              { name: 'steps' },
              { name: 'time' },
              { name: 'autotuning' },
              { name: 'share', bar: true },
              { name: 'causes' },
            ]}
            open={row => follow(compilesOf(shown())(row))}
          />
        </Show>
      )}
    </Page>
  );
}

// The compilations of a function, in the table of all.
const compilesOf = (document: Document) => (row: Row) => {
  const rows = rowsOf(document, 'compile_functions');
  const ofHost = severalHosts(document) ? ` host="${rows.text(row, 'host')}"` : '';
  return pageHref('compile', { 'compiles.filter': `function="${rows.text(row, 'function')}"${ofHost}` });
};

function Phases(props: { document: Document }): JSX.Element {
  const rows = () => rowsOf(props.document, 'compile_phases');
  const style = () => chooseStyle('ps', true, rows().numbers('time'));
  // The compilations that had it; of what it is made of, which is known for all of them together only, those that had
  // the whole.
  const withPhase = (row: Row): string | undefined => {
    const above = rows().all.slice(0, rows().all.indexOf(row) + 1);
    const whole = above.findLast(candidate => rows().number(candidate, 'depth') === 0) ?? row;
    const phase = rows().text(whole, 'phase').replaceAll(' ', '_'); // as its column is called
    return (rows().number(row, 'time') ?? 0) > 0 && rowsOf(props.document, 'compiles').has(phase)
      ? pageHref('compile', { 'compiles.filter': `${phase}>0` })
      : undefined;
  };
  return (
    <Section docs="metrics/compile_time" title={`Where compilation goes (${style().unit})`}>
      <BarList
        label="phases of compilation"
        items={rows().all.map(row => ({
          name: words(rows().text(row, 'stage') || rows().text(row, 'phase')),
          amount: formatNumber(style(), rows().number(row, 'time')),
          share: percents(rows().numbers('share'))(rows().number(row, 'share')),
          value: rows().number(row, 'time') ?? 0,
          color: 'compile',
          level: rows().number(row, 'depth') ?? 0,
          href: withPhase(row),
        }))}
      />
    </Section>
  );
}

function Compiles(props: { document: Document }): JSX.Element {
  const rows = createMemo(() => rowsOf(props.document, 'compiles'));
  // The call on its thread; of the compiler's work that no call surrounds, the time.
  const place = (row: Row): string => {
    const begin = rows().number(row, 'begin') ?? 0;
    const length = rows().number(row, 'elapsed') ?? rows().number(row, 'time') ?? 0;
    const event = rows().text(row, 'event');
    return event === '' ? areaHref(begin, begin + length) : sliceFromHref(event, begin, length);
  };
  return (
    <DataTable
      name="compiles"
      title="Compilations"
      table={rows().table}
      columns={[
        { name: 'function', link: place },
        { name: 'step' },
        { name: 'begin', label: 'at', link: place },
        { name: 'time', bar: true, link: place },
        { name: 'autotuning' },
        { name: 'optimization' },
        { name: 'code_generation' },
        { name: 'cause' },
        { name: 'why' },
      ]}
      open={row => follow(place(row))}
    />
  );
}
