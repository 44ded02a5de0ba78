// How wide a text of a size is, by the widths of its characters: each is measured once.
const widthIn = (size: '--small' | '--base'): ((text: string) => number) => {
  const widths = new Map<string, number>();
  let paper: CanvasRenderingContext2D | undefined;
  const measured = (char: string): number => {
    if (!paper) {
      const style = getComputedStyle(document.body);
      paper = document.createElement('canvas').getContext('2d')!;
      paper.font = `${style.getPropertyValue(size)} ${style.fontFamily}`;
    }
    return paper.measureText(char).width;
  };
  return text => {
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
  };
};

export const smallWidth = widthIn('--small');
export const baseWidth = widthIn('--base');
