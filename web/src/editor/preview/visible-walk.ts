import { syntaxTree } from '@codemirror/language';
import { type EditorState, RangeSet } from '@codemirror/state';
import { EditorView, ViewPlugin, type ViewUpdate } from '@codemirror/view';
import { canWriteNote } from '../core/modes.ts';
import { type BuiltDecorations, DecorationBuilder } from './decoration-builder.ts';
import { changesInteraction, isFrozen } from './preview-state.ts';
import { type Change, changedLines, overlaps, withRedrawn } from './redraw.ts';
import type { InlineRenderer } from './renderer.ts';
import type { Range } from './reveal.ts';
import { levelShift, noteTitle } from './title.ts';

/** Walks the syntax tree once over the given ranges, and renders each node with the renderer for its name. */
export function buildDecorations(
  state: EditorState,
  ranges: readonly Range[],
  table: ReadonlyMap<string, InlineRenderer>,
): BuiltDecorations {
  const builder = new DecorationBuilder(state);
  const tree = syntaxTree(state);
  for (const { from, to } of ranges) {
    builder.visible = { from, to };
    tree.iterate({
      from,
      to,
      enter: (node) => {
        const renderer = table.get(node.name);
        renderer?.render(node, builder);
        return renderer?.isLeaf !== true;
      },
    });
  }
  return builder.finish();
}

/** Updates the result of `buildDecorations` after a change. */
export function redraw(
  before: BuiltDecorations,
  change: Change,
  ranges: readonly Range[],
  table: ReadonlyMap<string, InlineRenderer>,
): BuiltDecorations {
  const lines = changedLines(change, ranges);
  const drawn = buildDecorations(change.state, overlaps(ranges, lines), table);
  countBuild(drawn);
  return withRedrawn(before, change.changes, lines, drawn);
}

/** Returns the view plugin of the preview. Its cost depends on the visible text, not on the length of the note. */
export function visibleWalk(table: ReadonlyMap<string, InlineRenderer>) {
  const plugin = ViewPlugin.define((view) => new VisibleWalk(view, table), {
    decorations: ({ built }) => built.decorations,
    provide: (self) => EditorView.atomicRanges.of((view) => view.plugin(self)?.built.atomic ?? RangeSet.empty),
  });
  return plugin;
}

class VisibleWalk {
  built: BuiltDecorations;
  readonly #table: ReadonlyMap<string, InlineRenderer>;
  #isStale = false;

  constructor(view: EditorView, table: ReadonlyMap<string, InlineRenderer>) {
    this.#table = table;
    this.built = this.#build(view);
  }

  update(update: ViewUpdate): void {
    const { view, state, changes } = update;
    const isWhole = this.#isStale || needsWhole(update);
    if (!isWhole && !update.docChanged && !update.selectionSet) return;
    // Changing decorations around a composition would garble its text, and under a pressed mouse would move it.
    if (view.composing || isFrozen(state)) {
      const { decorations, atomic } = this.built;
      this.built = { decorations: decorations.map(changes), atomic: atomic.map(changes) };
      this.#isStale = true;
      return;
    }
    this.built = isWhole ? this.#build(view) : redraw(this.built, update, view.visibleRanges, this.#table);
    this.#isStale = false;
  }

  #build(view: EditorView): BuiltDecorations {
    const built = buildDecorations(view.state, view.visibleRanges, this.#table);
    countBuild(built);
    return built;
  }
}

/** Returns whether an update may affect more than the lines that `redraw` finds. */
function needsWhole(update: ViewUpdate): boolean {
  if (update.viewportChanged) return true;
  // The parser has made progress.
  if (!update.docChanged && syntaxTree(update.startState) !== syntaxTree(update.state)) return true;
  if (levelShift(update.startState) !== levelShift(update.state)) return true;
  if (update.startState.facet(noteTitle) !== update.state.facet(noteTitle)) return true;
  if (update.startState.facet(canWriteNote) !== update.state.facet(canWriteNote)) return true;
  return update.transactions.some(changesInteraction);
}

/** Counters of builds and decorations. Tests bound them, because every key waits for them. */
export const buildCounts = { builds: 0, decorations: 0 };

function countBuild({ decorations }: BuiltDecorations): void {
  buildCounts.builds++;
  buildCounts.decorations += decorations.size;
}
