import { RangeSet, RangeSetBuilder } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, ViewPlugin, type ViewUpdate } from '@codemirror/view';

const hidden = Decoration.replace({});

/**
 * Hides the carriage returns of notes with CRLF lines. They stay in the text, whose offsets are those of the note; the
 * cursor passes them together with the line end.
 */
export const carriageReturns = ViewPlugin.fromClass(
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
  {
    decorations: ({ decorations }) => decorations,
    provide: (plugin) => EditorView.atomicRanges.of((view) => view.plugin(plugin)?.decorations ?? RangeSet.empty),
  },
);

function find(view: EditorView): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>();
  for (const { from, to } of view.visibleRanges) {
    const text = view.state.doc.sliceString(from, to);
    for (let at = text.indexOf('\r'); at >= 0; at = text.indexOf('\r', at + 1)) {
      builder.add(from + at, from + at + 1, hidden);
    }
  }
  return builder.finish();
}
