import { type Extension, RangeSetBuilder } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, ViewPlugin, type ViewUpdate } from '@codemirror/view';

/** Matches a character of a right-to-left script. */
const RIGHT_TO_LEFT =
  /[\p{sc=Hebr}\p{sc=Arab}\p{sc=Syrc}\p{sc=Thaa}\p{sc=Nkoo}\p{sc=Samr}\p{sc=Mand}\p{sc=Adlm}\p{sc=Rohg}\u200f]/u;
const LETTER = /\p{L}/u;
/** Maximum characters that are read to find the first letter. */
const READ = 1_000;

/** Returns the direction of a text: that of its first letter, as for `dir="auto"`. */
export function directionOf(text: string): 'ltr' | 'rtl' {
  const start = text.slice(0, READ);
  return RIGHT_TO_LEFT.test(start) && RIGHT_TO_LEFT.test(LETTER.exec(start)?.[0] ?? '') ? 'rtl' : 'ltr';
}

const auto = Decoration.line({ attributes: { dir: 'auto' } });

/**
 * Gives lines with right-to-left text the direction of their first letter. All other lines are left-to-right in every
 * language of the app: a right-to-left page would move their final period to the left.
 */
export const textDirection: Extension = [
  EditorView.editorAttributes.of({ dir: 'ltr' }),
  EditorView.perLineTextDirection.of(true),
  ViewPlugin.fromClass(
    class {
      decorations: DecorationSet;
      constructor(view: EditorView) {
        this.decorations = find(view);
      }
      update(update: ViewUpdate): void {
        if (update.view.composing) this.decorations = this.decorations.map(update.changes);
        else if (update.docChanged || update.viewportChanged) this.decorations = find(update.view);
      }
    },
    { decorations: ({ decorations }) => decorations },
  ),
];

function find(view: EditorView): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>();
  let last = -1;
  for (const { from, to } of view.visibleRanges) {
    for (let at = from; at <= to; ) {
      const line = view.state.doc.lineAt(at);
      if (line.from > last && RIGHT_TO_LEFT.test(line.text)) builder.add(line.from, line.from, auto);
      last = Math.max(last, line.from);
      at = line.to + 1;
    }
  }
  return builder.finish();
}
