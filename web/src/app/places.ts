// Where a link can lead: to every page and all of the time in the viewer, to what it holds in a report.
import type { Params } from './router';

export interface Places {
  readonly docs: boolean; // the documentation is beside the page
  readonly choose: boolean; // steps, devices and runs can be chosen
  readonly has: (page: string, params: Params) => boolean;
  readonly shows: (run: string, from: number, to: number) => boolean; // on the timeline
}

const everywhere: Places = { docs: true, choose: true, has: () => true, shows: () => true };
let places = everywhere;

export const here = (): Places => places;
export function stayWithin(other: Places): void {
  places = other;
}
