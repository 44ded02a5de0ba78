// How wide a text of the small size is, by the widths of its characters: each is measured once.
const widths = new Map<string, number>();
let paper: CanvasRenderingContext2D | undefined;

function measured(char: string): number {
  if (!paper) {
    const style = getComputedStyle(document.body);
    paper = document.createElement('canvas').getContext('2d')!;
    paper.font = `${style.getPropertyValue('--small')} ${style.fontFamily}`;
  }
  return paper.measureText(char).width;
}

export function smallWidth(text: string): number {
  let sum = 0;
  for (const char of text) {
    let width = widths.get(char);
    if (width === undefined) {
      width = measured(char);
      widths.set(char, width);
    }
    sum += width;
  }
  return sum;
}
