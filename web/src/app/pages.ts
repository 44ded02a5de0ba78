// The pages of a run in the order of the questions.
import type { Component } from 'solid-js';
import { Collectives } from '../pages/collectives/Collectives';
import { Compilation } from '../pages/compilation/Compilation';
import { Diff } from '../pages/diff/Diff';
import { Doctor } from '../pages/doctor/Doctor';
import { HostPage } from '../pages/host/HostPage';
import { Idle } from '../pages/idle/Idle';
import { Kernels } from '../pages/kernels/Kernels';
import { Memory } from '../pages/memory/Memory';
import { Operation } from '../pages/operations/Operation';
import { Operations } from '../pages/operations/Operations';
import { Overview } from '../pages/overview/Overview';
import { CriticalPath } from '../pages/path/CriticalPath';
import { Roofline } from '../pages/roofline/Roofline';
import { Scaling } from '../pages/scaling/Scaling';
import { TimelinePage } from '../pages/timeline/TimelinePage';
import { Transfers } from '../pages/transfers/Transfers';

export interface Page {
  readonly id: string;
  readonly title: string;
  readonly component: Component;
  readonly inRail: boolean;
}

const page = (id: string, title: string, component: Component, inRail = true): Page => ({
  id,
  title,
  component,
  inRail,
});

export const pages: readonly Page[] = [
  page('overview', 'Overview', Overview),
  page('doctor', 'Doctor', Doctor),
  page('timeline', 'Timeline', TimelinePage),
  page('ops', 'Operations', Operations),
  page('op', 'Operation', Operation, false),
  page('kernels', 'Kernels', Kernels),
  page('idle', 'Idle', Idle),
  page('path', 'Critical path', CriticalPath),
  page('memory', 'Memory', Memory),
  page('transfers', 'Transfers', Transfers),
  page('collectives', 'Collectives', Collectives),
  page('compile', 'Compilation', Compilation),
  page('roofline', 'Roofline', Roofline),
  page('host', 'Host', HostPage),
  page('diff', 'Diff', Diff),
  page('scaling', 'Scaling', Scaling),
];
