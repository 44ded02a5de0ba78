// Keys that act as long as they are held: zoom and move smoothly, at the screen's own pace.
import { isTyping } from '../../app/keys';
import { type Command, commandOf, nameOfKey } from '../keys';

const held: ReadonlySet<Command> = new Set(['zoomIn', 'zoomOut', 'left', 'right', 'up', 'down']);

// The key itself: what it writes changes when Shift goes up while it is held.
const placeOf = (event: KeyboardEvent): string => event.code || event.key.toLowerCase();

// `move` gets how many milliseconds a held command acted; `press` gets every other command once.
export function attachKeys(
  move: (command: Command, ms: number) => void,
  press: (command: Command) => boolean,
): () => void {
  const down = new Map<string, Command>();
  let frame = 0;
  let last = 0;
  const tick = (now: number): void => {
    const ms = Math.min(50, now - last);
    last = now;
    for (const command of down.values()) move(command, ms);
    frame = down.size > 0 ? requestAnimationFrame(tick) : 0;
  };
  const onDown = (event: KeyboardEvent): void => {
    if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey) return;
    if (
      (event.target as Element | null)?.closest('[role="grid"], .tl-panel, .tl-gutter') &&
      event.key.startsWith('Arrow')
    )
      return;
    const command = commandOf(nameOfKey(event));
    if (!command) return;
    if (held.has(command)) {
      if (!event.repeat) move(command, 24); // a tap moves a little, however short
      down.set(placeOf(event), command);
      if (frame === 0) {
        last = performance.now();
        frame = requestAnimationFrame(tick);
      }
      event.preventDefault();
    } else if (press(command)) event.preventDefault();
  };
  const onUp = (event: KeyboardEvent): void => {
    down.delete(placeOf(event));
  };
  const stop = (): void => down.clear();
  addEventListener('keydown', onDown);
  addEventListener('keyup', onUp);
  addEventListener('blur', stop);
  return () => {
    cancelAnimationFrame(frame);
    removeEventListener('keydown', onDown);
    removeEventListener('keyup', onUp);
    removeEventListener('blur', stop);
  };
}
