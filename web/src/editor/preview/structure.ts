import { syntaxTree } from '@codemirror/language';
import { type EditorState, type Range as PlacedRange, RangeSet } from '@codemirror/state';
import { BlockWrapper, EditorView, ViewPlugin, type ViewUpdate } from '@codemirror/view';
import type { SyntaxNodeRef } from '@lezer/common';
import { readCalloutHead } from '@notevault/note-html/callout.ts';
import { isFrozen } from './preview-state.ts';

type Wrappers = RangeSet<BlockWrapper>;

/** Maximum rank of a wrapping element; higher ranks enclose lower ones. */
const RANK_MAX = 100;

/**
 * Wraps the editor's lines of lists, items, quotes and callouts in elements with ARIA roles. Without them, screen
 * readers would announce each line as a paragraph.
 */
export const structure = ViewPlugin.fromClass(
  class {
    wrappers: Wrappers;
    #isStale = false;
    constructor(view: EditorView) {
      this.wrappers = wrappersIn(view);
    }
    update({ view, state, startState, changes, docChanged, viewportChanged }: ViewUpdate): void {
      this.#isStale ||= docChanged || viewportChanged || syntaxTree(startState) !== syntaxTree(state);
      // Moving an element while an input method writes into it would end the composition.
      if (view.composing || isFrozen(state)) this.wrappers = this.wrappers.map(changes);
      else if (this.#isStale) {
        this.wrappers = wrappersIn(view);
        this.#isStale = false;
      }
    }
  },
  {
    provide: (self) => EditorView.blockWrappers.of((view) => view.plugin(self)?.wrappers ?? RangeSet.empty),
  },
);

function wrappersIn({ state, visibleRanges }: EditorView): Wrappers {
  const found = new Map<string, PlacedRange<BlockWrapper>>();
  for (const { from, to } of visibleRanges) {
    let depth = 0;
    syntaxTree(state).iterate({
      from,
      to,
      enter: (node) => {
        const role = roleOf(node, state);
        if (role === null) return;
        // A list with one item has the same range as the item, so only the rank decides which is inside.
        const wrapper = BlockWrapper.create({ tagName: 'div', attributes: { role }, rank: RANK_MAX - depth });
        const start = state.doc.lineAt(node.from).from;
        // A node may overlap two visible ranges.
        found.set(`${node.name} ${node.from} ${node.to}`, wrapper.range(start, Math.max(start, node.to)));
        depth += 1;
      },
      leave: (node) => {
        if (roleOf(node, state) !== null) depth -= 1;
      },
    });
  }
  return BlockWrapper.set([...found.values()], true);
}

function roleOf({ name, from }: SyntaxNodeRef, { doc }: EditorState): string | null {
  if (name === 'BulletList' || name === 'OrderedList') return 'list';
  if (name === 'ListItem') return 'listitem';
  if (name !== 'Blockquote') return null;
  return readCalloutHead(doc.sliceString(from, doc.lineAt(from).to)) === null ? 'blockquote' : 'note';
}
