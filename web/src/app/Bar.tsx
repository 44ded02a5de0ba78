// The bar at the top: which run, search, theme, help.
import { For, type JSX, Show } from 'solid-js';
import type { Run } from '../api/runs';
import { searchBoxId, wishStep } from './keys';
import { go, param, route, setParams } from './router';
import { currentRun, readableRuns, runs } from './session';
import { choice, nextTheme } from './theme';

const describe = (run: Run): string =>
  `${run.label} · ${run.hosts.length === 1 ? run.hosts[0] : `${run.hosts.length} hosts`}`;

export function Bar(props: { toggleMenu: () => void; menu: boolean; showHelp: () => void }): JSX.Element {
  const open = (id: string): void =>
    go({ run: id, page: route().run ? pageFor(route().page) : 'overview', params: {} });
  const compare = (id: string): void =>
    go({ run: route().run, page: id ? 'diff' : 'overview', params: id ? { with: id } : {} });
  const others = (): readonly Run[] => readableRuns().filter(run => run.id !== currentRun()?.id);
  const search = (text: string): void => {
    if (route().page === 'timeline') setParams({ q: text });
    else {
      go({ run: route().run, page: 'timeline', params: { q: text } });
      wishStep('next');
    }
  };
  return (
    <header class="bar">
      <Show when={currentRun()}>
        <button
          type="button"
          class="menu-button"
          aria-label="pages"
          aria-expanded={props.menu}
          onClick={() => props.toggleMenu()}
        >
          ☰
        </button>
      </Show>
      <a class="home" href="#/" title="all runs">
        gait
      </a>
      <Show when={currentRun()}>
        {run => (
          <select aria-label="run" value={run().id} onChange={event => open(event.currentTarget.value)}>
            <For each={runs()?.runs}>
              {other => (
                <option value={other.id} selected={other.id === run().id}>
                  {describe(other)}
                </option>
              )}
            </For>
          </select>
        )}
      </Show>
      <Show when={currentRun() && others().length > 0}>
        <select
          aria-label="compare with"
          value={param('with')}
          onChange={event => compare(event.currentTarget.value)}
        >
          <option value="">compare with…</option>
          <For each={others()}>
            {other => (
              <option value={other.id} selected={other.id === param('with')}>
                {other.label}
              </option>
            )}
          </For>
        </select>
      </Show>
      <div class="search">
        <Show when={currentRun()}>
          <input
            id={searchBoxId}
            type="search"
            placeholder="search the timeline  /"
            aria-label="search names and arguments on the timeline"
            value={route().page === 'timeline' ? param('q') : ''}
            onKeyDown={event => {
              if (event.key === 'Enter') search(event.currentTarget.value);
              if (event.key === 'Escape') event.currentTarget.blur();
            }}
            onInput={event => {
              if (route().page === 'timeline') search(event.currentTarget.value);
            }}
          />
        </Show>
      </div>
      <div class="tools">
        <button
          type="button"
          aria-label={`theme: ${choice()}`}
          title={`theme: ${choice()}; click for the next`}
          onClick={nextTheme}
        >
          {choice() === 'system' ? '◐' : choice() === 'light' ? '○' : '●'}
        </button>
        <button type="button" aria-label="help" title="keys and gestures  ?" onClick={() => props.showHelp()}>
          ?
        </button>
      </div>
    </header>
  );
}

// An operation of one run is not one of another.
const pageFor = (page: string): string => (page === 'op' ? 'ops' : page);
