/** Keys that run an action: `Mod+Shift+K`, where Mod is Command on Apple's systems and Control elsewhere. */
export type Shortcut = string;

export interface KeyPress {
  readonly key: string;
  /** The key's place, such as `KeyK`: with Alt, Macs make another character of a letter. */
  readonly code: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
}

/** Whether an event of the keyboard is a shortcut. */
export function isPressed(shortcut: Shortcut, pressed: KeyPress, isApple: boolean): boolean {
  const parts = shortcut.split('+');
  const key = (parts.at(-1) ?? '').toLowerCase();
  const has = (name: string) => parts.includes(name);
  const mod = isApple ? pressed.metaKey : pressed.ctrlKey;
  const other = isApple ? pressed.ctrlKey : pressed.metaKey;
  if (mod !== has('Mod') || other || pressed.altKey !== has('Alt')) return false;
  // Shift is part of how characters like "?" are typed.
  if (/^[a-z0-9]$|^.{2,}$/.test(key) && pressed.shiftKey !== has('Shift')) return false;
  return pressed.key.toLowerCase() === key || pressed.code.toLowerCase() === `key${key}`;
}

const ARROWS = [
  ['ArrowUp', '↑'],
  ['ArrowDown', '↓'],
  ['ArrowLeft', '←'],
  ['ArrowRight', '→'],
] as const;
const APPLE: ReadonlyMap<string, string> = new Map([
  ...ARROWS,
  ['Mod', '⌘'],
  ['Shift', '⇧'],
  ['Alt', '⌥'],
  ['Backspace', '⌫'],
]);
const ELSEWHERE: ReadonlyMap<string, string> = new Map([['Mod', 'Ctrl'], ['Delete', 'Del'], ...ARROWS]);

/** Writes a shortcut as people of a system know it. */
export function shownKeys(shortcut: Shortcut, isApple: boolean): string {
  const names = shortcut.split('+').map((part) => (isApple ? APPLE : ELSEWHERE).get(part) ?? part);
  return names.join(isApple ? '' : ' ');
}

/** Whether the browser runs on one of Apple's systems. */
export function onApple(): boolean {
  return /Mac|iPhone|iPad/.test(navigator.userAgent);
}
