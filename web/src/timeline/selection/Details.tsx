// All about the selected slice: what it is, what launched it, and all executions of the same name.
import { createMemo, createResource, createSignal, For, type JSX, Show } from 'solid-js';
import { operationHref, pageHref } from '../../app/view';
import { Histogram } from '../../charts/Histogram';
import { amount, count, plural, time } from '../../format/numbers';
import { withBelow } from '../../table/filter';
import type { EventDetail, EventRef } from '../api';
import { effectsOf } from './links';
import { sameFinder } from './search';

export interface DetailsProps {
  readonly detail: EventDetail;
  readonly jump: (to: EventRef) => void;
  readonly step: (way: 'next' | 'previous') => void; // to another slice of the same name
  readonly canStep: (way: 'next' | 'previous') => boolean;
  readonly placeOf: (track: number) => string; // the device or process
  readonly isThread: (track: number) => boolean;
  readonly range: readonly [number, number] | undefined;
  readonly setRange: (range: readonly [number, number] | undefined) => void;
}

export function Details(props: DetailsProps): JSX.Element {
  const operation = () => props.detail.operation;
  const effects = createMemo(() => effectsOf(props.detail, props.isThread));
  const unlisted = (): number => props.detail.effects_total - props.detail.effects.length;
  return (
    <div class="tl-details">
      <div class="main">
        <h2>
          {props.detail.name} <span class="muted">{props.detail.label}</span>
        </h2>
        <p>
          <strong>{time(props.detail.duration)}</strong>
          <span class="muted">
            {' '}
            at {time(props.detail.begin)}
            {props.detail.self !== null && props.detail.self !== props.detail.duration
              ? ` · self ${time(props.detail.self)}`
              : ''}
            {props.detail.step === null ? '' : ` · step ${props.detail.step}`}
            {props.detail.category ? ` · ${props.detail.category}` : ''}
          </span>
        </p>
        <Show when={operation()}>
          {op => (
            <dl class="facts">
              <dt>operation</dt>
              <dd>
                <a href={operationHref(op().program_id, op().instruction)}>{op().instruction}</a>{' '}
                <span class="muted">
                  {op().opcode}
                  {op().kind ? ` ${op().kind}` : ''} in {op().program}
                </span>
              </dd>
              <dt>shape</dt>
              <dd>{op().shape}</dd>
              <Show when={op().scope}>
                <dt>scope</dt>
                <dd>
                  <a href={pageHref('ops', { 'ops.filter': withBelow('scope', op().scope!) })}>
                    {op().scope}
                  </a>
                </dd>
              </Show>
              <Show when={op().source}>
                <dt>source</dt>
                <dd>{op().source}</dd>
              </Show>
              <dt>cost</dt>
              <dd>
                {amount('flop', op().flops)} · {amount('bytes', op().bytes)}
              </dd>
              <Show when={op().operands.length > 0}>
                <dt>operands</dt>
                <dd>
                  <For each={op().operands.slice(0, 12)}>
                    {(operand, i) => (
                      <>
                        {i() > 0 ? ', ' : ''}
                        <a
                          href={operationHref(op().program_id, operand.instruction)}
                          title={`${operand.opcode} ${operand.shape}`}
                        >
                          {operand.instruction}
                        </a>
                      </>
                    )}
                  </For>
                  {op().operands.length > 12 ? ` and ${op().operands.length - 12} more` : ''}
                </dd>
              </Show>
            </dl>
          )}
        </Show>
        <Show when={props.detail.unattributed}>
          <p class="muted">No HLO instruction: {props.detail.unattributed}.</p>
        </Show>
      </div>
      <div class="same">
        <Same {...props} />
        <Links
          title="launched by"
          of={props.detail.causes}
          total={props.detail.causes_total}
          jump={props.jump}
        />
        <Links
          title="leads to"
          of={effects().others}
          total={effects().others.length + unlisted()}
          jump={props.jump}
        />
        <Links
          title="the same on"
          of={effects().same}
          total={effects().same.length}
          jump={props.jump}
          placeOf={props.placeOf}
        />
        <Show when={props.detail.parent}>
          {parent => <Links title="inside" of={[parent()]} total={1} jump={props.jump} />}
        </Show>
      </div>
      <Arguments args={props.detail.args} />
    </div>
  );
}

function Same(props: DetailsProps): JSX.Element {
  const same = () => props.detail.same;
  const find = sameFinder();
  const [inRange] = createResource(
    () => (props.range ? { of: props.detail, range: props.range } : undefined),
    ({ of, range }) => find(of, range),
  );
  return (
    <>
      <p>
        {plural(same().count, 'execution')} of this name, {time(same().total)} in all{' '}
        <span class="buttons">
          <button
            type="button"
            disabled={!props.canStep('previous')}
            title="previous of the same name  ["
            onClick={() => props.step('previous')}
          >
            ‹
          </button>
          <span class="muted">
            {count(same().position + 1)} of {count(same().count)}
          </span>
          <button
            type="button"
            disabled={!props.canStep('next')}
            title="next of the same name  ]"
            onClick={() => props.step('next')}
          >
            ›
          </button>
        </span>
      </p>
      <Show when={same().histogram.counts.length > 1}>
        <Histogram
          edges={same().histogram.edges}
          counts={same().histogram.counts}
          show={time}
          mark={props.detail.duration}
          range={props.range}
          onRange={props.setRange}
          height={56}
        />
      </Show>
      <Show when={props.range}>
        {range => (
          <p>
            {inRange.latest ? `${count(inRange.latest.total)} of them take` : 'those that take'}{' '}
            {time(range()[0])} to {time(range()[1])}: others fade, <kbd>[</kbd> <kbd>]</kbd> step through
            these.{' '}
            <button type="button" class="link" onClick={() => props.setRange(undefined)}>
              all lengths
            </button>
          </p>
        )}
      </Show>
      <p class="muted small">
        mean {time(same().mean)} · median {time(same().p50)} · p99 {time(same().p99)} · {time(same().min)} to{' '}
        {time(same().max)}
      </p>
    </>
  );
}

const fewLinks = 3;

// `total` may be more than the server lists.
function Links(props: {
  title: string;
  of: readonly EventRef[];
  total: number;
  jump: (to: EventRef) => void;
  placeOf?: (track: number) => string; // instead of the name
}): JSX.Element {
  const [all, setAll] = createSignal(false);
  const shown = (): readonly EventRef[] => (all() ? props.of : props.of.slice(0, fewLinks));
  return (
    <Show when={props.of.length > 0}>
      <div class="tl-links">
        <span class="muted">{props.title}</span>
        <ul>
          <For each={shown()}>
            {to => (
              <li>
                <button
                  type="button"
                  class="link"
                  title={`${to.name ?? ''}\n${to.label ?? ''}`}
                  onClick={() => props.jump(to)}
                >
                  {props.placeOf?.(to.track) || (to.name ?? to.label ?? 'slice')}
                </button>
                <span class="muted">{time(to.duration)}</span>
              </li>
            )}
          </For>
          <Show when={props.of.length > shown().length}>
            <li>
              <button type="button" class="link" onClick={() => setAll(true)}>
                {count(props.of.length - shown().length)} more
              </button>
            </li>
          </Show>
          <Show when={props.of.length === shown().length && props.total > shown().length}>
            <li class="muted">and {count(props.total - shown().length)} that are not listed</li>
          </Show>
        </ul>
      </div>
    </Show>
  );
}

function Arguments(props: { args: readonly (readonly [string, unknown])[] }): JSX.Element {
  return (
    <dl class="facts args">
      <For each={props.args}>
        {([name, value]) => (
          <>
            <dt>{name}</dt>
            <dd>{typeof value === 'object' ? JSON.stringify(value) : String(value)}</dd>
          </>
        )}
      </For>
    </dl>
  );
}
