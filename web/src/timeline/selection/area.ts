// A marked area: a part of time, on some tracks or on all.
export interface Area {
  readonly from: number;
  readonly to: number;
  readonly tracks: readonly number[]; // empty: all
}

// "FROM-TO" or "FROM-TO@3.4.7", times in ps.
export function formatArea(area: Area): string {
  const time = `${Math.round(area.from)}-${Math.round(area.to)}`;
  return area.tracks.length === 0 ? time : `${time}@${area.tracks.join('.')}`;
}

export function parseArea(text: string): Area | undefined {
  const match = /^(-?\d+)-(-?\d+)(?:@([\d.]+))?$/.exec(text);
  if (!match || Number(match[2]) <= Number(match[1])) return undefined;
  const tracks = (match[3] ?? '').split('.').filter(Boolean).map(Number);
  return { from: Number(match[1]), to: Number(match[2]), tracks };
}
