// What a link from another page, or Enter in its search box, asks the timeline to show.
import { createEffect, createSignal } from 'solid-js';
import { getDocument, runPath } from '../../api/client';
import { rowsOf } from '../../api/document';
import { wishedStep, wishStep } from '../../app/keys';
import { param, setParams } from '../../app/router';
import { createRunKey } from '../../app/session';
import { viewQuery } from '../../app/view';
import { type EventRef, leaves, tracksOf } from '../../timeline/api';
import { parsePlace, sliceAt } from '../../timeline/selection/place';
import { type Search, withWhatDiffers } from '../../timeline/selection/search';
import type { TimelineState } from '../../timeline/state';

// `land` goes to a slice, `step` to a match of the search. Returns the name that a link looked for in vain.
export function followLinks(
  state: TimelineState,
  search: Search,
  land: (to: EventRef) => void,
  step: (way: 'next' | 'previous') => void,
): () => string {
  // Enter on another page opens this one: the step waits until there is a timeline to step on.
  createEffect(() => {
    const way = wishedStep();
    if (!way || !state.tree()) return;
    wishStep(undefined);
    step(way);
  });

  const run = createRunKey();
  // Links from other pages: "@" is the first match of the search, "@device" and "@host" the first there, "@host/NAME"
  // on that host, "@TIME" the first that begins then or later. It is of the part of the run that the page was about.
  const [notFound, setNotFound] = createSignal('');
  createEffect(() => {
    const wanted = /^@(?:(?<on>device|host)(?:\/(?<which>.+))?|(?<begin>\d+))?$/.exec(param('sel'))?.groups;
    const tree = state.tree();
    if (!wanted || !tree || !param('q')) return;
    const { on, which, begin } = wanted as { on?: 'device' | 'host'; which?: string; begin?: string };
    const whole = /^"(.+)"$/.exec(param('q'))?.[1];
    const part = { host: which ?? param('host'), device: param('device') };
    const tracks = on && tracksOf(tree.tree, on, part);
    const only =
      part.host || (on === 'device' && part.device)
        ? tracks && { track: tracks.join(',') }
        : tracks && { like: tracks[0] };
    setNotFound('');
    const from = begin ? Promise.resolve(Number(begin)) : firstBegin(run()!, state.span()[0]);
    from
      .then(at => search.step('next', { begin: at - 1 }, only))
      .then(found => {
        if (found) land(found);
        else if (on === 'host' && whole) setParams({ q: withWhatDiffers(whole) });
        else setNotFound(whole ?? param('q'));
      });
  });

  // And a slice by its place, once its track is there.
  createEffect(() => {
    const place = parsePlace(param('sel'));
    const tree = state.tree();
    if (!place || !tree) return;
    const track = leaves(tree.tree).find(leaf => leaf.key === place.key);
    if (!track && tree.derived === 'pending') return;
    const found = track ? sliceAt(run()!, track.track, place) : Promise.resolve(undefined);
    found
      .catch(() => undefined)
      .then(slice => {
        if (slice) land(slice);
        else setParams({ sel: '' }, 'replace');
      });
  });
  return notFound;
}

// Where the steps begin that `steps` of the link chooses; else the capture.
async function firstBegin(
  run: { readonly id: string; readonly version: string },
  begin: number,
): Promise<number> {
  if (!param('steps')) return begin;
  const query = { ...viewQuery(), v: run.version };
  const document = await getDocument(runPath(run.id, 'steps'), query).catch(() => undefined);
  const steps = rowsOf(document, 'step_devices');
  return steps.length === 0 ? begin : Math.min(...steps.all.map(row => steps.number(row, 'begin') ?? begin));
}
