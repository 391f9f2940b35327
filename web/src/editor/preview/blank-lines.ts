import { syntaxTree } from '@codemirror/language';
import { type EditorState, RangeSetBuilder } from '@codemirror/state';
import { Decoration, type DecorationSet, type EditorView, ViewPlugin, type ViewUpdate } from '@codemirror/view';
import { changesInteraction, isFrozen, revealState } from './preview-state.ts';

const blank = Decoration.line({ class: 'nv-blank' });
const belowHeading = Decoration.line({ class: 'nv-blank nv-below-heading' });

/**
 * Gives blank lines between blocks the height of paragraph spacing. The blank line with the cursor has the height of
 * text, so that typing its first letter moves nothing below.
 */
export const blankLines = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;
    #isStale = false;
    constructor(view: EditorView) {
      this.decorations = find(view);
    }
    update(update: ViewUpdate): void {
      const { view, state, startState, changes, docChanged, viewportChanged, selectionSet } = update;
      this.#isStale ||=
        docChanged ||
        viewportChanged ||
        selectionSet ||
        syntaxTree(startState) !== syntaxTree(state) ||
        update.transactions.some(changesInteraction);
      if (!this.#isStale) return;
      if (view.composing || isFrozen(state)) this.decorations = this.decorations.map(changes);
      else {
        this.decorations = find(view);
        this.#isStale = false;
      }
    }
  },
  { decorations: ({ decorations }) => decorations },
);

function find({ state, visibleRanges }: EditorView): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>();
  const { isActive, selection } = revealState(state);
  let last = -1;
  for (const { from, to } of visibleRanges) {
    for (let at = from; at <= to; ) {
      const line = state.doc.lineAt(at);
      at = line.to + 1;
      if (line.from <= last || line.text.trim() !== '') continue;
      last = line.from;
      const hasCursor = isActive && selection.some((range) => range.from <= line.to && range.to >= line.from);
      if (hasCursor || !isBetweenBlocks(state, line.from)) continue;
      builder.add(line.from, line.from, isBelowHeading(state, line.from) ? belowHeading : blank);
    }
  }
  return builder.finish();
}

/**
 * Returns whether an offset is between blocks. Blank lines inside code, formulas and similar blocks belong to the
 * block.
 */
function isBetweenBlocks(state: EditorState, at: number): boolean {
  const { name } = syntaxTree(state).resolveInner(at, 0);
  return name === 'Document' || name === 'BulletList' || name === 'OrderedList' || name === 'ListItem';
}

function isBelowHeading(state: EditorState, at: number): boolean {
  if (at === 0) return false;
  let node = syntaxTree(state).resolveInner(at - 1, -1);
  while (node.parent !== null && node.parent.name !== 'Document') node = node.parent;
  return /^(?:ATX|Setext)Heading/.test(node.name);
}
