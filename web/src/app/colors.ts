// Which hue a thing has, on every page. Names of hues are CSS variables of styles/tokens.css.

const hues: readonly (readonly [RegExp, string])[] = [
  [
    /all-reduce|all-gather|reduce-scatter|all-to-all|collective|permute|communication|send|recv|peer/,
    'communication',
  ],
  [/cop(y|ies)|transfer|memset|memcpy|host to|to host/, 'copies'],
  [/idle|gap|between|no program|launch|wait|sync|dispatch|input|allocator|dependency|unknown/, 'idle'],
  [/compil/, 'compile'],
  [/softmax/, 'softmax'],
  [/elementwise|random|rng/, 'elementwise'],
  [/layout|type conversion|gather|scatter|concat|slice|transpose/, 'layout'],
  [/reduction|normalization|norm|sort/, 'reduction'],
  [/host|python|runtime|annotation/, 'host'],
  [/matmul|convolution|compute|attention/, 'compute'],
];

// Of a category of operations, a part of the time, or a kind of thing.
export function hue(category: string | null | undefined): string {
  const text = (category ?? '').toLowerCase();
  for (const [pattern, name] of hues) if (pattern.test(text)) return name;
  return text === '' || text === 'other' || text.startsWith('(') ? 'idle' : 'compute';
}

// Of what an allocator holds, by the kinds of `gait memory`.
export const memoryHues: { readonly [kind: string]: string } = {
  temporaries: 'compute',
  output: 'elementwise',
  input: 'copies',
  before: 'idle',
  compilation: 'compile',
  reserved: 'layout',
  other: 'idle-allocator',
};

// A stable number for a name: colours by name stay the same from run to run.
export function hash(text: string): number {
  let h = 2166136261;
  for (let i = 0; i < text.length; ++i) h = Math.imul(h ^ text.charCodeAt(i), 16777619);
  return h >>> 0;
}
