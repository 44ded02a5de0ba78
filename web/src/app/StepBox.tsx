// Which steps the page is about, and to what else it was narrowed.
import { For, type JSX, Show } from 'solid-js';
import { param, setParams } from './router';
import { viewKeys } from './view';

export function StepBox(): JSX.Element {
  const set = (value: string): void => setParams({ steps: value.trim() }, 'push');
  return (
    <form
      class="stepbox"
      onSubmit={event => {
        event.preventDefault();
        set(new FormData(event.currentTarget).get('steps') as string);
      }}
    >
      <label class="muted small">
        steps{' '}
        <input
          type="text"
          name="steps"
          placeholder="all"
          title="3, 3:8, 3: or :8; Enter applies"
          value={param('steps')}
          onBlur={event => event.currentTarget.value !== param('steps') && set(event.currentTarget.value)}
        />
      </label>
      <For each={viewKeys.filter(key => key !== 'steps' && param(key))}>
        {key => (
          <button
            type="button"
            title={`not only this ${key}`}
            onClick={() => setParams({ [key]: '' }, 'push')}
          >
            {key === 'device' ? param(key) : `${key} ${param(key)}`} ×
          </button>
        )}
      </For>
      <Show when={param('steps')}>
        <button type="button" onClick={() => set('')}>
          all steps
        </button>
      </Show>
    </form>
  );
}
