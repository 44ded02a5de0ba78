// The line of tools above the timeline.
import { For, type JSX, Show } from 'solid-js';
import { focusSearch } from '../../app/keys';
import { param, setParams } from '../../app/router';
import { count, time } from '../../format/numbers';
import { colorModes } from '../../timeline/draw/palette';
import { length } from '../../timeline/scales/view';
import type { Search } from '../../timeline/selection/search';
import type { TimelineState } from '../../timeline/state';
import type { Commands } from './commands';

export function Tools(props: {
  state: TimelineState;
  search: Search;
  hidden: boolean;
  move: Commands['move'];
  press: Commands['press'];
  step: (way: 'next' | 'previous') => void;
}): JSX.Element {
  return (
    <div class="tl-tools" classList={{ none: props.hidden }}>
      <input
        type="search"
        placeholder="filter tracks"
        aria-label="filter tracks"
        title={'words that the name of a track must have; quotes keep them together: "CPU 3"'}
        value={param('tracks')}
        onInput={event => setParams({ tracks: event.currentTarget.value })}
      />
      <label class="muted">
        colour by{' '}
        <select
          value={props.state.colorBy()}
          onChange={event =>
            setParams({ color: event.currentTarget.value === 'category' ? '' : event.currentTarget.value })
          }
        >
          <For each={colorModes}>
            {mode => (
              <option value={mode} selected={mode === props.state.colorBy()}>
                {mode}
              </option>
            )}
          </For>
        </select>
      </label>
      <button type="button" title="everything  0" onClick={() => props.press('whole')}>
        whole
      </button>
      <button type="button" title="zoom in  W" aria-label="zoom in" onClick={() => props.move('zoomIn', 200)}>
        +
      </button>
      <button
        type="button"
        title="zoom out  S"
        aria-label="zoom out"
        onClick={() => props.move('zoomOut', 200)}
      >
        −
      </button>
      <span class="muted" aria-live="off">
        {time(length(props.state.view()))}
      </span>
      <span class="room" />
      <Show when={param('q')}>
        <span aria-live="polite" class="found">
          <Show
            when={props.search.result()}
            fallback={
              <span class="muted">{props.search.problem() || (props.search.busy() ? 'searching…' : '')}</span>
            }
          >
            {found => (
              <>
                {props.search.position() === undefined ? '' : `${count(props.search.position()! + 1)} of `}
                {count(found().total)} {found().total === 1 ? 'match' : 'matches'}
                <span class="muted">{found().total > 0 ? `, ${time(found().time)}` : ''}</span>
                <button
                  type="button"
                  disabled={found().total === 0}
                  title="previous match  Shift Enter"
                  onClick={() => props.step('previous')}
                >
                  ‹
                </button>
                <button
                  type="button"
                  disabled={found().total === 0}
                  title="next match  Enter"
                  onClick={() => props.step('next')}
                >
                  ›
                </button>
              </>
            )}
          </Show>
          <button type="button" title="end the search  Esc" onClick={() => setParams({ q: '' })}>
            ×
          </button>
        </span>
      </Show>
      <Show when={!param('q')}>
        <button type="button" title="search names and arguments  /" onClick={focusSearch}>
          search
        </button>
      </Show>
    </div>
  );
}
