// A small capture made by hand, as an XSpace of XLA's profiler: what no program of the test data does.

// Protobuf: a varint field, and one with a length.
const varint = value => {
  const bytes = [];
  for (let rest = BigInt(value); ; rest >>= 7n) {
    bytes.push(Number(rest & 127n) | (rest > 127n ? 128 : 0));
    if (rest <= 127n) return Buffer.from(bytes);
  }
};
const number = (field, value) => Buffer.concat([varint(field << 3), varint(value)]);
const bytes = (field, value) => {
  const content = Buffer.from(value);
  return Buffer.concat([varint((field << 3) | 2), varint(content.length), content]);
};
const message = (field, ...parts) => bytes(field, Buffer.concat(parts));

// A plane whose lines hold [name, begin, duration] in nanoseconds, and numbers by name as a fourth.
function plane(id, name, lines) {
  const names = [...new Set(lines.flatMap(line => line.events.map(event => event[0])))];
  const stats = [...new Set(lines.flatMap(line => line.events.flatMap(event => Object.keys(event[3] ?? {}))))];
  return message(
    1,
    number(1, id),
    bytes(2, name),
    ...lines.map((line, i) =>
      message(
        3,
        number(1, i + 1),
        bytes(2, line.name),
        number(3, 1_000_000),
        ...line.events.map(([event, begin, duration, of = {}]) =>
          message(
            4,
            number(1, names.indexOf(event) + 1),
            number(2, begin * 1000),
            number(3, duration * 1000),
            ...Object.entries(of).map(([stat, value]) =>
              message(4, number(1, stats.indexOf(stat) + 1), number(4, value)),
            ),
          ),
        ),
      ),
    ),
    ...names.map((event, i) => message(4, number(1, i + 1), message(2, number(1, i + 1), bytes(2, event)))),
    ...stats.map((stat, i) => message(5, number(1, i + 1), message(2, number(1, i + 1), bytes(2, stat)))),
  );
}

// One GPU and a thread of the host: nothing is annotated, and nothing repeats, so there are no steps.
export const wholeCapture = () =>
  Buffer.concat([
    plane(1, '/device:GPU:0', [
      {
        name: 'Stream #7(Compute)',
        events: [
          ['fill_kernel', 100_000, 40_000],
          ['scale_kernel', 200_000, 310_000],
          ['sum_kernel', 900_000, 75_000],
        ],
      },
    ]),
    plane(2, '/host:CPU', [
      {
        name: 'python',
        events: [
          ['prepare', 0, 90_000],
          ['compute_statistics', 510_000, 380_000],
        ],
      },
    ]),
  ]);

// Two GPUs with kernels of no program, and two threads of one name: the second did more.
export const pairsCapture = () =>
  Buffer.concat([
    ...[0, 1].map(i =>
      plane(i + 1, `/device:GPU:${i}`, [{ name: 'Stream #7(Compute)', events: [['fill_kernel', 100_000, 40_000 * (i + 1)]] }]),
    ),
    plane(3, '/host:CPU', [
      { name: 'worker', events: [['rest', 0, 1_000]] },
      { name: 'worker', events: Array.from({ length: 9 }, (_, i) => ['toil', i * 10_000, 9_000]) },
    ]),
  ]);

// Annotated steps, and kernels of which nobody knows what launched them: no step has device work.
export const apartCapture = () => {
  const steps = [0, 1, 2, 3, 4, 5];
  return Buffer.concat([
    plane(1, '/device:GPU:0', [
      { name: 'Stream #7(Compute)', events: steps.map(step => ['gemm_kernel', step * 1_000_000 + 10_000, 350_000]) },
    ]),
    plane(2, '/host:CPU', [
      { name: 'python', events: steps.map(step => ['train', step * 1_000_000, 400_000, { step_num: step, _r: 1 }]) },
    ]),
  ]);
};

// A time that cannot be: 27 days of one kernel.
export const vastCapture = () =>
  plane(1, '/device:GPU:0', [
    { name: 'Stream #7(Compute)', events: [['short_kernel', 5_000, 7_000], ['long_kernel', 100_000, 2.3e15]] },
  ]);

// One kernel that took no time.
export const instantCapture = () =>
  plane(1, '/device:GPU:0', [{ name: 'Stream #7(Compute)', events: [['empty_kernel', 5_000, 0]] }]);
