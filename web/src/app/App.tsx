import { createEffect, createSignal, type JSX, Match, onCleanup, onMount, Show, Switch } from 'solid-js';
import { Dynamic } from 'solid-js/web';
import { trouble } from '../api/again';
import { Runs } from '../pages/runs/Runs';
import { Bar } from './Bar';
import { Help } from './Help';
import { focusSearch, isTyping } from './keys';
import { Problem } from './Page';
import { pages } from './pages';
import { Rail } from './Rail';
import { route } from './router';
import { currentRun, runs, runsError, watchRuns } from './session';

export function App(): JSX.Element {
  const [menu, setMenu] = createSignal(false);
  const [help, setHelp] = createSignal(false);
  watchRuns();

  const onKeyDown = (event: KeyboardEvent): void => {
    if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === '?') setHelp(true);
    else if (event.key === '/') focusSearch();
    else return;
    event.preventDefault();
  };
  onMount(() => addEventListener('keydown', onKeyDown));
  onCleanup(() => removeEventListener('keydown', onKeyDown));

  const page = () => pages.find(candidate => candidate.id === route().page);
  createEffect(() => {
    const run = currentRun();
    document.title = run ? `${page()?.title ?? 'gait'} · ${run.label} · gait` : 'gait';
  });
  createEffect(() => {
    route();
    setMenu(false);
  });

  return (
    <div class="shell" classList={{ menu: menu(), bare: route().page === 'runs' }}>
      <button type="button" class="skip" onClick={() => document.getElementById('content')?.focus()}>
        to the content
      </button>
      <Bar toggleMenu={() => setMenu(open => !open)} menu={menu()} showHelp={() => setHelp(true)} />
      <Rail />
      <main id="content" tabindex="-1">
        <Switch fallback={<div class="waiting">Looking for runs…</div>}>
          <Match when={route().page === 'runs'}>
            <Runs />
          </Match>
          <Match when={currentRun()}>
            <Show
              when={page()}
              fallback={
                <Problem what={`There is no page “${route().page}”.`} hint="The pages are on the left." />
              }
            >
              {found => <Dynamic component={found().component} />}
            </Show>
          </Match>
          <Match when={runs() === undefined ? runsError() : undefined}>
            {error => <Problem what={error().message} hint={error().hint} see={error().see} />}
          </Match>
          <Match when={runs()}>
            {list => (
              <Problem
                what={`The run of this link is not below ${list().directory}.`}
                hint="It was deleted, or gait was started with another directory. All runs are under gait, at the top left."
              />
            )}
          </Match>
        </Switch>
      </main>
      <Show when={trouble()}>
        {waited => (
          <p class="trouble" role="alert">
            {waited().message} {waited().hint}
          </p>
        )}
      </Show>
      <Help open={help()} close={() => setHelp(false)} />
    </div>
  );
}
