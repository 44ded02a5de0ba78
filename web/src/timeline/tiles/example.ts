// A lane for tests: nothing in it but what is given.
import type { SliceLane } from './format';

export const exampleLane = (more: Partial<SliceLane>): SliceLane => ({
  kind: 'slices',
  lane: 0,
  begin: new Float64Array(),
  duration: new Float64Array(),
  name: new Uint32Array(),
  event: new Uint32Array(),
  busy: new Float64Array(),
  bucket: new Uint32Array(),
  count: new Uint32Array(),
  bucketName: new Uint32Array(),
  bucketEvent: new Uint32Array(),
  ...more,
});
export const examplePiece = { tile: { level: 0, index: 0 }, from: 0, to: 1024 };
