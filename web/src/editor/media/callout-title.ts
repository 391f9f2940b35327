import type { EditorView } from '@codemirror/view';
import type { CalloutHead, CalloutLook } from '@notevault/note-html/callout.ts';
import { toggleCallout } from '../preview/callout-folds.ts';
import { button, drawn, element, PreviewWidget } from '../preview/widget-base.ts';
import { stringsOf } from './inline-widgets.ts';

const CIRCLE = 'M21 12a9 9 0 1 1-18 0 9 9 0 0 1 18 0z';
/** Icons as paths on a grid of 24. */
const ICONS: Readonly<Record<CalloutLook, string>> = {
  note: 'M4 20h4L20 8l-4-4L4 16z',
  info: `${CIRCLE}M12 11v5M12 8h.01`,
  tip: 'M9 18h6M10 21h4M12 3a6 6 0 0 0-3.6 10.8c.7.6 1.1 1.3 1.1 2.2h5c0-.9.4-1.6 1.1-2.2A6 6 0 0 0 12 3z',
  success: `${CIRCLE}m8.5 12.2 2.5 2.5 4.5-5`,
  question: `${CIRCLE}M9.6 9.4a2.5 2.5 0 1 1 3.6 2.3c-.8.4-1.2.9-1.2 1.7M12 16.8h.01`,
  warning: 'M12 4 21 20H3zM12 10v4.5M12 17.2h.01',
  danger: `${CIRCLE}M12 7.5v5.5M12 16.3h.01`,
  example: 'M9 6h11M9 12h11M9 18h11M4.5 6h.01M4.5 12h.01M4.5 18h.01',
  quote: 'M10 7H5v6h5zM5 13c0 3 1.5 4 3.5 4M19 7h-5v6h5zM14 13c0 3 1.5 4 3.5 4',
};

/** The first line of a callout: its icon, its kind if it has no title, and a fold button if it folds. */
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
    // The name of the kind must not determine the direction of the title.
    head.dir = 'auto';
    const icon = element('span', `nv-callout-icon nv-icon-${look}`);
    icon.append(drawn(ICONS[look]));
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
    // The press must not move the cursor, which would reveal the source instead of the button.
    node.addEventListener('mousedown', (event) => event.preventDefault());
    return node;
  }
}
