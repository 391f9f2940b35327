/** What a command opens to be used by keys at once. */
export type FocusTarget = 'editor' | 'panel';

let wanted: FocusTarget | null = null;

/** Asks for the focus before something is opened; what is there first takes it. */
export function wantFocus(target: FocusTarget): void {
  wanted = target;
}

/** Whether the focus is wanted here; it is asked for once. */
export function takeFocus(target: FocusTarget): boolean {
  if (wanted !== target) return false;
  wanted = null;
  return true;
}
