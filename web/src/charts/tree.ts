// A tree from rows in depth-first order, and its layout as an icicle: a node is as wide as its value, children
// lie below their parent from its left edge on, the largest first.
export interface Node {
  readonly key: string; // path of names from the root
  readonly name: string;
  readonly value: number;
  readonly color: string; // CSS variable
  readonly row: number; // of the table it came from; -1: none
  readonly children: Node[];
  readonly before?: number; // of a difference, both
  readonly after?: number;
}

export interface TreeRow {
  readonly name: string;
  readonly depth: number;
  readonly value: number;
  readonly color: string;
}

export function buildTree(rows: readonly TreeRow[], title: string): Node {
  const root: Node & { value: number } = {
    key: '',
    name: title,
    value: 0,
    color: 'idle',
    row: -1,
    children: [],
  };
  const above: Node[] = [root];
  rows.forEach((row, i) => {
    above.length = Math.min(above.length, row.depth + 1);
    const parent = above.at(-1)!;
    const key = parent.key === '' ? row.name : `${parent.key}\u001f${row.name}`;
    const node: Node = { key, name: row.name, value: row.value, color: row.color, row: i, children: [] };
    parent.children.push(node);
    above.push(node);
    if (row.depth === 0) root.value += row.value;
  });
  return root;
}

export interface Stack {
  readonly frames: readonly string[]; // outermost first
  readonly value: number;
  readonly before?: number; // of a difference
}

type Growing = { -readonly [Field in keyof Node]: Node[Field] };

// A tree from stacks with a value each. Of a difference a node is as wide as the larger side of the stacks below it, so
// that what went is seen as well as what came.
export function treeOfStacks(
  stacks: readonly Stack[],
  title: string,
  colorOf: (name: string) => string,
): Node {
  const grow = (name: string, key: string): Growing => ({
    key,
    name,
    value: 0,
    color: key === '' ? 'idle' : colorOf(name),
    row: -1,
    children: [],
  });
  const root = grow(title, '');
  for (const { frames, value, before } of stacks) {
    const add = (node: Growing): void => {
      node.value += Math.max(value, before ?? 0);
      if (before === undefined) return;
      node.before = (node.before ?? 0) + before;
      node.after = (node.after ?? 0) + value;
    };
    let node = root;
    add(node);
    for (const name of frames) {
      let child = node.children.find(candidate => candidate.name === name) as Growing | undefined;
      if (!child) {
        child = grow(name, node.key === '' ? name : `${node.key}\u001f${name}`);
        node.children.push(child);
      }
      add(child);
      node = child;
    }
  }
  return root;
}

// The hue of a node of a difference.
export function changeColor(node: Node): string {
  const change = (node.after ?? 0) - (node.before ?? 0);
  return change > 0 ? 'grown' : change < 0 ? 'shrunk' : 'idle';
}

export interface Cell {
  readonly node: Node;
  readonly depth: number;
  readonly left: number; // parts of 1 of the whole width
  readonly width: number;
}

const narrowest = 3; // pixels of a letter

// What of a name is shown in so many pixels. Where there is room for a few letters only, its number tells layer_8 from
// layer_9, and no letters say more than one.
export function labelOf(name: string, room: number, widthOf: (text: string) => number): string {
  if (widthOf(name) <= room) return name;
  const number = /\d+$/.exec(name)?.[0] ?? '';
  const least = number ? 4 : 3; // letters
  let letters = Math.min(name.length - number.length - 1, Math.ceil(room / narrowest));
  const text = (): string => `${name.slice(0, letters)}…${number}`;
  while (letters >= least && widthOf(text()) > room) --letters;
  if (letters >= least) return text();
  return widthOf(number) <= room ? number : '';
}

export function findNode(root: Node, key: string): Node | undefined {
  if (root.key === key) return root;
  for (const child of root.children) {
    if (child.key === key || key.startsWith(`${child.key}\u001f`)) return findNode(child, key);
  }
  return undefined;
}

const sameEdge = 1e-9;

// Where a key leads: along a row, or to what is above and below.
export function moveInIcicle(cells: readonly Cell[], from: Cell, key: string): Cell | undefined {
  const rowAt = (depth: number): Cell[] =>
    cells.filter(cell => cell.depth === depth).sort((a, b) => a.left - b.left);
  const row = rowAt(from.depth);
  const below = (cell: Cell): boolean =>
    cell.left >= from.left - sameEdge && cell.left < from.left + from.width - sameEdge;
  switch (key) {
    case 'ArrowLeft':
      return row[row.indexOf(from) - 1] ?? from;
    case 'ArrowRight':
      return row[row.indexOf(from) + 1] ?? from;
    case 'ArrowUp':
      return rowAt(from.depth - 1).findLast(cell => cell.left <= from.left + sameEdge) ?? from;
    case 'ArrowDown':
      return rowAt(from.depth + 1).find(below) ?? from;
    case 'Home':
      return row[0];
    case 'End':
      return row.at(-1);
    default:
      return undefined;
  }
}

// The nodes wider than `least`, from `top` on.
export function icicle(top: Node, least: number): Cell[] {
  const cells: Cell[] = [];
  const visit = (node: Node, depth: number, left: number, width: number): void => {
    if (width < least) return;
    cells.push({ node, depth, left, width });
    // Children never spill over their parent, even where they overlap in time.
    const sum = node.children.reduce((total, child) => total + child.value, 0);
    const whole = Math.max(node.value, sum);
    let x = left;
    for (const child of [...node.children].sort((a, b) => b.value - a.value)) {
      const part = whole > 0 ? (width * child.value) / whole : 0;
      visit(child, depth + 1, x, part);
      x += part;
    }
  };
  visit(top, 0, 0, 1);
  return cells;
}
