// A tree from rows in depth-first order, and its layout as an icicle: a node is as wide as its value, children
// lie below their parent from its left edge on, the largest first.
export interface Node {
  readonly key: string; // path of names from the root
  readonly name: string;
  readonly value: number;
  readonly color: string; // CSS variable
  readonly row: number; // of the table it came from; -1: none
  readonly children: Node[];
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

// A tree from stacks with a value each ("inner < … < outer" is given outermost first here).
export function treeOfStacks(
  stacks: readonly { readonly frames: readonly string[]; readonly value: number }[],
  title: string,
  colorOf: (name: string) => string,
): Node {
  const root: Node & { value: number } = {
    key: '',
    name: title,
    value: 0,
    color: 'idle',
    row: -1,
    children: [],
  };
  for (const { frames, value } of stacks) {
    let node: Node & { value: number } = root;
    node.value += value;
    for (const name of frames) {
      let child = node.children.find(candidate => candidate.name === name) as
        | (Node & { value: number })
        | undefined;
      if (!child) {
        const key = node.key === '' ? name : `${node.key}\u001f${name}`;
        child = { key, name, value: 0, color: colorOf(name), row: -1, children: [] };
        node.children.push(child);
      }
      child.value += value;
      node = child;
    }
  }
  return root;
}

export interface Cell {
  readonly node: Node;
  readonly depth: number;
  readonly left: number; // parts of 1 of the whole width
  readonly width: number;
}

export function findNode(root: Node, key: string): Node | undefined {
  if (root.key === key) return root;
  for (const child of root.children) {
    if (child.key === key || key.startsWith(`${child.key}\u001f`)) return findNode(child, key);
  }
  return undefined;
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
