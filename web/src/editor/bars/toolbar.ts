import type { EditorView } from '@codemirror/view';
import { button, drawn } from '../preview/widget-base.ts';

/** A button of a bar in the editor. */
export interface Tool {
  readonly label: string;
  /** A path on a grid of 24. */
  readonly icon: string;
  readonly run: (view: EditorView) => void;
}

/** Turns an element into a toolbar, with a separator before each group of tools. Returns the buttons in order. */
export function fillToolbar(
  view: EditorView,
  dom: HTMLElement,
  label: string,
  groups: readonly (readonly Tool[])[],
): readonly HTMLButtonElement[] {
  dom.setAttribute('role', 'toolbar');
  dom.ariaLabel = label;
  for (const tools of groups) {
    const group = document.createElement('div');
    group.append(...tools.map((tool) => buttonOf(view, tool)));
    dom.append(group);
  }
  const buttons = [...dom.querySelectorAll('button')];
  if (buttons[0] !== undefined) buttons[0].tabIndex = 0;
  dom.addEventListener('keydown', (event) => moveInBar(view, buttons, event));
  return buttons;
}

function buttonOf(view: EditorView, { label, icon, run }: Tool): HTMLButtonElement {
  const made = button('nv-bar-tool', '', () => run(view));
  made.ariaLabel = label;
  made.title = label;
  made.tabIndex = -1;
  // A press must not take the focus from the text: a phone would close its keyboard.
  made.addEventListener('mousedown', (event) => event.preventDefault());
  made.append(drawn(icon));
  return made;
}

/** Moves between the buttons with the arrow keys, because the bar is a single Tab stop; Escape returns to the text. */
function moveInBar(view: EditorView, buttons: readonly HTMLButtonElement[], event: KeyboardEvent): void {
  const at = buttons.findIndex((one) => one.matches(':focus'));
  const last = buttons.length - 1;
  const places: Readonly<Record<string, number>> = {
    ArrowRight: at === last ? 0 : at + 1,
    ArrowLeft: at <= 0 ? last : at - 1,
    Home: 0,
    End: last,
  };
  const next = buttons[places[event.key] ?? -1];
  if (event.key === 'Escape') view.focus();
  else if (next === undefined) return;
  else focusTool(buttons, next);
  event.preventDefault();
  event.stopPropagation();
}

function focusTool(buttons: readonly HTMLButtonElement[], next: HTMLButtonElement): void {
  for (const one of buttons) one.tabIndex = one === next ? 0 : -1;
  next.focus();
}
