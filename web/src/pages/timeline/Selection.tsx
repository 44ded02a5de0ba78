// What is selected, below the rows: a slice, an area, or why there is none.
import { type JSX, Show } from 'solid-js';
import { param, setParams } from '../../app/router';
import type { EventDetail, EventRef } from '../../timeline/api';
import { AreaPanel } from '../../timeline/selection/AreaPanel';
import { Details } from '../../timeline/selection/Details';
import type { TimelineState } from '../../timeline/state';

type Way = 'next' | 'previous';

export function Selection(props: {
  state: TimelineState;
  hidden: boolean;
  notFound: string; // the name that a link looked for in vain
  jump: (to: EventRef) => void;
  step: (way: Way) => void;
  nextOf: (detail: EventDetail, way: Way) => EventRef | null;
}): JSX.Element {
  // Why what the link selects is not there.
  const absent = (): string => {
    if (props.state.missing()) return props.state.missing();
    if (props.notFound && param('sel').startsWith('@'))
      return `Nothing on the timeline has “${props.notFound}” in its name.`;
    return '';
  };
  return (
    <section
      class="tl-panel"
      classList={{ none: props.hidden || (!props.state.area() && !props.state.selected()) }}
      aria-label="selection"
    >
      <Show
        when={props.state.area()}
        fallback={
          <Show
            when={props.state.detail()}
            fallback={
              <p class="muted hint" classList={{ missing: absent() !== '' }} role="status">
                <Show
                  when={!absent()}
                  fallback={
                    <>
                      {absent()}{' '}
                      <button type="button" class="link" onClick={() => setParams({ sel: '' })}>
                        go on without
                      </button>
                    </>
                  }
                >
                  Click a slice for its arguments, its HLO instruction and all executions of the same name.
                  Drag to select an area and sum it up. <kbd>?</kbd> lists all keys.
                </Show>
              </p>
            }
          >
            {detail => (
              <Details
                detail={detail()}
                jump={props.jump}
                step={props.step}
                canStep={way => props.nextOf(detail(), way) !== null}
                range={props.state.lengths()}
                setRange={props.state.setLengths}
                placeOf={track => props.state.groupOf(track)?.title ?? ''}
                isThread={track => props.state.tracks().get(track)?.type === 'thread'}
              />
            )}
          </Show>
        }
      >
        {area => <AreaPanel area={area()} clear={() => props.state.setArea(undefined, 'push')} />}
      </Show>
    </section>
  );
}
