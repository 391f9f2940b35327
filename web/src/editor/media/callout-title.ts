import type { EditorView } from '@codemirror/view';
import type { CalloutHead } from '../preview/callout.ts';
import { toggleCallout } from '../preview/callout-folds.ts';
import { button, element, PreviewWidget } from '../preview/widget-base.ts';
import { stringsOf } from './inline-widgets.ts';

/** The head of a callout: its sign, its kind if it has no title, and a button if it folds. */
export class CalloutTitleWidget extends PreviewWidget {
  readonly key: string;
  readonly #head: CalloutHead;
  readonly #fold: 'open' | 'closed' | null;

  constructor(head: CalloutHead, fold: 'open' | 'closed' | null) {
    super();
    this.key = `${head.kind} ${head.look} ${head.title === ''} ${fold}`;
    this.#head = head;
    this.#fold = fold;
  }

  toDOM(view: EditorView): HTMLElement {
    const { kind, look, title } = this.#head;
    const head = element('span', 'nv-callout-head');
    // The name of the kind does not decide about the direction of the title.
    head.dir = 'auto';
    const icon = element('span', `nv-callout-icon nv-icon-${look}`);
    icon.setAttribute('aria-hidden', 'true');
    if (this.#fold !== null) head.append(this.#button(view));
    head.append(icon);
    const name = kind.charAt(0).toUpperCase() + kind.slice(1);
    if (title === '') head.append(element('span', 'nv-callout-name', name));
    else icon.after(element('span', 'nv-visually-hidden', `${name}: `));
    return head;
  }

  override ignoreEvent(event: Event): boolean {
    return event.target instanceof HTMLButtonElement;
  }

  #button(view: EditorView): HTMLElement {
    const isOpen = this.#fold === 'open';
    const node = button('nv-callout-fold', isOpen ? '▾' : '▸', () => toggleCallout(view, view.posAtDOM(node)));
    node.setAttribute('aria-expanded', String(isOpen));
    node.setAttribute('aria-label', stringsOf(view).foldCallout);
    // The press must not move the cursor, which would show the source in place of the button.
    node.addEventListener('mousedown', (event) => event.preventDefault());
    return node;
  }
}
