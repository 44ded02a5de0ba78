// The frame of a page: the answer first, then what was lost and what to know, then the evidence. Nothing is
// shown before the document is there, so nothing jumps when it comes.
import { For, type JSX, Match, Show, Switch } from 'solid-js';
import { trouble } from '../api/again';
import type { Document, DocumentLink } from '../api/document';
import { lossText } from '../format/losses';
import { plural } from '../format/numbers';
import { DocsLink } from './DocsLink';
import { here } from './places';
import { param } from './router';
import { StepBox } from './StepBox';
import { createProgress, type Loaded } from './session';
import { viewKeys } from './view';
import { Words } from './Words';

export interface PageProps {
  readonly of: Loaded;
  readonly steps?: boolean; // false: it is not about steps
  readonly heading?: JSX.Element; // instead of the document's answer
  readonly children: (document: () => Document) => JSX.Element;
}

export function Page(props: PageProps): JSX.Element {
  return (
    <Switch fallback={<Waiting />}>
      <Match when={props.of.error()}>
        {error => (
          <Problem what={error().message} hint={error().hint} see={error().see}>
            <Show when={viewKeys.some(key => param(key))}>
              <StepBox />
            </Show>
          </Problem>
        )}
      </Match>
      <Match when={props.of.document()}>
        {document => (
          <div class="page">
            <div class="top">
              <Show when={props.heading} fallback={<Answer document={document()} />}>
                {props.heading}
              </Show>
              <Show when={props.steps !== false && here().choose}>
                <StepBox />
              </Show>
            </div>
            {props.children(document)}
          </div>
        )}
      </Match>
    </Switch>
  );
}

export function Answer(props: { document: Document }): JSX.Element {
  return (
    <div>
      <h1 class="answer">
        <Words links={props.document.links}>{props.document.answer}</Words>
      </h1>
      <ul class="notes">
        <For each={props.document.warnings}>
          {text => (
            <li class="alert">
              <Words links={props.document.links}>{text}</Words>
            </li>
          )}
        </For>
        <For each={props.document.notes}>
          {text => (
            <li>
              <Words links={props.document.links}>{text}</Words>
            </li>
          )}
        </For>
        <For each={props.document.losses.slice(0, 5)}>
          {loss => <li class="alert">lost: {lossText(loss)}</li>}
        </For>
        <Show when={props.document.losses.length > 5}>
          <li class="alert">and {plural(props.document.losses.length - 5, 'further kind')} of loss</li>
        </Show>
      </ul>
    </div>
  );
}

// Seen only after 300 ms; with a number while a large file is read.
function Waiting(): JSX.Element {
  const progress = createProgress();
  const fraction = (): number | undefined =>
    progress()?.state === 'loading' ? progress()?.fraction : undefined;
  return (
    <div class="waiting" role="status">
      <Show when={fraction() !== undefined} fallback={trouble() ? 'Waiting for gait…' : 'Working it out…'}>
        Reading the capture: {Math.round(100 * (fraction() ?? 0))} %
        <progress value={fraction()} max="1" />
      </Show>
    </div>
  );
}

export function Problem(props: {
  what: string;
  hint?: string | undefined;
  see?: string | undefined;
  children?: JSX.Element;
}): JSX.Element {
  const links = (): DocumentLink[] =>
    props.see ? [{ text: `gait ${props.see}`, verb: props.see, parameters: {} }] : [];
  return (
    <div class="page">
      <div role="alert">
        <h1 class="answer">{props.what}</h1>
        <p class="hint">
          <Words problem links={links()}>
            {props.hint ?? ''}
          </Words>
        </p>
      </div>
      {props.children}
    </div>
  );
}

// Why something is not there, and what to do about it.
export function Empty(props: { children: JSX.Element }): JSX.Element {
  return <div class="empty">{props.children}</div>;
}

export function Section(props: {
  title: string;
  hint?: string | undefined;
  docs?: string; // the page that defines what is shown: "metrics/idle_causes"
  children: JSX.Element;
}): JSX.Element {
  return (
    <section class="section">
      <h2>
        {props.title}
        <Show when={props.docs}>
          {page => (
            <DocsLink page={page()} name={`definition: ${props.title}`}>
              definition
            </DocsLink>
          )}
        </Show>
      </h2>
      <Show when={props.hint}>
        <p class="hint small">{props.hint}</p>
      </Show>
      {props.children}
    </section>
  );
}
