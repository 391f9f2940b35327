import type { Extension } from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  EditorView,
  type PluginValue,
  ViewPlugin,
  type ViewUpdate,
  WidgetType,
} from '@codemirror/view';
import type { LiveNote } from '@notevault/client/live/live-note.ts';
import {
  createAbsolutePositionFromRelativePosition,
  createRelativePositionFromTypeIndex,
  type RelativePosition,
} from 'yjs';
import { text } from '../texts/texts.ts';
import { TEXT } from './lineage.ts';

type Awareness = NonNullable<LiveNote['awareness']>;

/** Somebody else's place in the note, as it comes over the wire. */
interface PresenceState {
  /** User that the server vouches for. */
  readonly actor?: { readonly user_id?: unknown; readonly display_name?: unknown };
  /** User as the client states it, for servers that do not vouch for users. */
  readonly user?: { readonly name?: unknown };
  readonly cursor?: { readonly anchor?: RelativePosition; readonly head?: RelativePosition } | null;
}

/** Colours that differ from each other on light and on dark pages, the same as in the web app. */
const COLORS = ['#c14121', '#3e68d1', '#8455c6', '#9e5e22', '#b83f82', '#1e7d3e', '#277596', '#77700b'];

const look = EditorView.baseTheme({
  '.notevault-caret': { position: 'relative', borderLeft: '2px solid', marginLeft: '-1px', marginRight: '-1px' },
  '.notevault-caret-name': {
    position: 'absolute',
    bottom: '100%',
    left: '-2px',
    padding: '0 4px',
    borderRadius: '3px',
    fontSize: '11px',
    lineHeight: '1.4',
    whiteSpace: 'nowrap',
    pointerEvents: 'none',
    zIndex: '10',
  },
  '.notevault-caret-name:empty': { display: 'none' },
  ...Object.fromEntries<Record<string, string>>(
    COLORS.flatMap((color, at): [string, Record<string, string>][] => [
      [`.notevault-caret.notevault-color-${at}`, { borderColor: color }],
      [`.notevault-color-${at} .notevault-caret-name`, { color: '#ffffff', backgroundColor: color }],
      [`.notevault-selection.notevault-color-${at}`, { backgroundColor: `${color}40` }],
    ]),
  ),
});

class Caret extends WidgetType {
  readonly #name: string;
  readonly #color: number;

  constructor(name: string, color: number) {
    super();
    this.#name = name;
    this.#color = color;
  }

  override eq(other: Caret): boolean {
    return other.#name === this.#name && other.#color === this.#color;
  }

  /** Creates the cursor in the editor's document, which may belong to another window. */
  override toDOM(view: EditorView): HTMLElement {
    const win = view.dom.ownerDocument.defaultView ?? window;
    const caret = win.createSpan({ cls: `notevault-caret notevault-color-${this.#color}` });
    caret.append('\u2060', win.createSpan({ cls: 'notevault-caret-name', text: this.#name }), '\u2060');
    return caret;
  }

  override ignoreEvent(): boolean {
    return true;
  }
}

/**
 * Shows where others are in the note, and tells them where the cursor is here.
 *
 * @param name of the person here, for others where the account has none
 */
export function remoteCursors(awarenessOf: (view: EditorView) => Awareness | null, name: string): Extension {
  class Cursors implements PluginValue {
    decorations: DecorationSet = Decoration.none;
    readonly #view: EditorView;
    #awareness: Awareness | null = null;
    #isDue = false;
    readonly #changed = () => this.#draw();

    constructor(view: EditorView) {
      this.#view = view;
      this.#follow();
    }

    update(update: ViewUpdate): void {
      this.#follow();
      if (this.#awareness === null) return;
      if (update.selectionSet || update.focusChanged || update.docChanged) this.#tell();
      this.decorations = decorationsOf(this.#awareness, update.state.doc.length);
    }

    destroy(): void {
      this.#awareness?.off('change', this.#changed);
    }

    #follow(): void {
      const awareness = awarenessOf(this.#view);
      if (awareness === this.#awareness) return;
      this.#awareness?.off('change', this.#changed);
      this.#awareness = awareness;
      awareness?.on('change', this.#changed);
      awareness?.setLocalStateField('user', { name, color: COLORS[0] });
    }

    /** Publishes the local cursor in the web app's format. */
    #tell(): void {
      const awareness = this.#awareness;
      if (awareness === null || !this.#view.hasFocus) return;
      const text = awareness.doc.getText(TEXT);
      const { anchor, head } = this.#view.state.selection.main;
      if (Math.max(anchor, head) > text.length) return;
      awareness.setLocalStateField('cursor', {
        anchor: createRelativePositionFromTypeIndex(text, anchor),
        head: createRelativePositionFromTypeIndex(text, head),
      });
    }

    #draw(): void {
      if (this.#isDue) return;
      this.#isDue = true;
      const window = this.#view.dom.ownerDocument.defaultView;
      window?.requestAnimationFrame(() => {
        this.#isDue = false;
        if (this.#awareness !== null) this.#view.dispatch({});
      });
    }
  }
  return [ViewPlugin.fromClass(Cursors, { decorations: ({ decorations }) => decorations }), look];
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function decorationsOf(awareness: Awareness, length: number): DecorationSet {
  const ranges = [...awareness.getStates()].flatMap(([client, state]) => {
    const { actor, user, cursor } = state as PresenceState;
    if (client === awareness.clientID || cursor?.anchor === undefined || cursor.head === undefined) return [];
    const said = actor === undefined ? user?.name : actor.display_name;
    const name = isName(said) ? said : text('noName');
    const id = typeof actor?.user_id === 'string' ? actor.user_id : String(client);
    const [anchor, head] = [offsetOf(cursor.anchor, awareness, length), offsetOf(cursor.head, awareness, length)];
    if (anchor === null || head === null) return [];
    const color = [...id].reduce((sum, char) => (sum * 31 + char.charCodeAt(0)) % 9973, 0) % COLORS.length;
    const caret = Decoration.widget({ widget: new Caret(name, color), side: head < anchor ? -1 : 1 }).range(head);
    if (anchor === head) return [caret];
    const mark = Decoration.mark({ class: `notevault-selection notevault-color-${color}` });
    return [caret, mark.range(Math.min(anchor, head), Math.max(anchor, head))];
  });
  return Decoration.set(ranges, true);
}

/** Returns the editor offset of a position in the document; null if the position is gone or invalid. */
function offsetOf(position: RelativePosition, { doc }: Awareness, length: number): number | null {
  try {
    const found = createAbsolutePositionFromRelativePosition(position, doc);
    return found === null || found.type !== doc.getText(TEXT) ? null : Math.min(found.index, length);
  } catch {
    return null;
  }
}
