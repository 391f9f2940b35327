import type { EditorView } from '@codemirror/view';
import { toggleTaskAt } from '../commands/tasks.ts';
import { services } from '../core/services.ts';
import type { EditorStrings } from '../core/strings.ts';
import { button, drawn, element, PreviewWidget } from '../preview/widget-base.ts';

/** Returns the strings of the app that owns a view. */
export function stringsOf(view: EditorView): EditorStrings {
  const app = view.state.facet(services);
  if (app === null) throw new Error('the view has no services');
  return app.strings;
}

/** The bullet of a list item. */
export class BulletWidget extends PreviewWidget {
  readonly key = '';
  toDOM(): HTMLElement {
    const bullet = element('span', 'nv-bullet', '•');
    bullet.setAttribute('aria-hidden', 'true');
    return bullet;
  }
}

/** Separates a note's name from the heading or block of a link. */
export const ANCHOR_SEPARATOR = ' › ';

export class AnchorSeparatorWidget extends PreviewWidget {
  readonly key = '';
  toDOM(): HTMLElement {
    return element('span', '', ANCHOR_SEPARATOR);
  }
}

/** A line break that is written as a tag. */
export class BreakWidget extends PreviewWidget {
  readonly key = '';
  toDOM(): HTMLElement {
    return element('br');
  }
}

/** The checkbox of a task, which ticks the task in the text. */
export class TaskWidget extends PreviewWidget {
  readonly key: string;
  readonly #isDone: boolean;
  readonly #label: string;

  readonly #canTick: boolean;

  /** @param label the text of the task, for screen readers. */
  constructor(isDone: boolean, label: string, canTick: boolean) {
    super();
    this.key = `${isDone} ${canTick} ${label}`;
    this.#canTick = canTick;
    this.#isDone = isDone;
    this.#label = label;
  }

  toDOM(view: EditorView): HTMLElement {
    const box = element('input', 'nv-task');
    box.type = 'checkbox';
    box.checked = this.#isDone;
    box.setAttribute('aria-label', this.#label === '' ? stringsOf(view).task : this.#label);
    if (!this.#canTick) box.setAttribute('aria-readonly', 'true');
    // The press must not move the cursor, which would reveal the source instead of the checkbox.
    box.addEventListener('mousedown', (event) => event.preventDefault());
    box.addEventListener('click', (event) => {
      event.preventDefault();
      // Somebody else may have changed the line since it was drawn.
      if (box.isConnected) toggleTaskAt(view, view.posAtDOM(box), this.#isDone);
    });
    return box;
  }

  override ignoreEvent(): boolean {
    return true;
  }
}

const COPIED_MS = 1_500;
const COPY = 'M9 9h11v11H9zM5 15V4h10';
const COPIED = 'm5 12.5 4.5 4.5L19 7.5';

/** The first line of a code block: its language, and a button that copies the code. */
export class CodeHeadWidget extends PreviewWidget {
  readonly key: string;
  readonly #language: string;
  readonly #code: string;

  constructor(language: string, code: string) {
    super();
    this.key = `${language}\n${code}`;
    this.#language = language;
    this.#code = code;
  }

  toDOM(view: EditorView): HTMLElement {
    const strings = stringsOf(view);
    const head = element('span', 'nv-code-head');
    head.append(element('span', 'nv-code-language', this.#language));
    const copy = button('nv-code-copy', '', () => {
      void navigator.clipboard?.writeText(this.#code).then(() => {
        show(COPIED, strings.copied);
        setTimeout(() => show(COPY, strings.copyCode), COPIED_MS);
      });
    });
    const show = (path: string, label: string) => {
      copy.replaceChildren(drawn(path));
      copy.setAttribute('aria-label', label);
      copy.title = label;
    };
    show(COPY, strings.copyCode);
    copy.addEventListener('mousedown', (event) => event.preventDefault());
    head.append(copy);
    return head;
  }

  override ignoreEvent(event: Event): boolean {
    return event.target instanceof HTMLButtonElement;
  }
}
