import { syntaxTree } from '@codemirror/language';
import { type EditorState, RangeSet } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, ViewPlugin, type ViewUpdate } from '@codemirror/view';
import { canWriteNote } from '../core/modes.ts';
import { type BuiltDecorations, DecorationBuilder } from './decoration-builder.ts';
import { changesInteraction, isFrozen } from './preview-state.ts';
import type { InlineRenderer } from './renderer.ts';
import type { Range } from './reveal.ts';

/** Walks the syntax tree once over the given ranges and draws each node with the renderer of its name. */
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

/** The one view plugin of the preview. Cost grows with what is visible, not with the note. */
export function visibleWalk(table: ReadonlyMap<string, InlineRenderer>) {
  const plugin = ViewPlugin.define((view) => new VisibleWalk(view, table), {
    decorations: (walk) => walk.decorations,
    provide: (self) => EditorView.atomicRanges.of((view) => view.plugin(self)?.atomic ?? RangeSet.empty),
  });
  return plugin;
}

class VisibleWalk {
  decorations: DecorationSet = Decoration.none;
  atomic: RangeSet<Decoration> = RangeSet.empty;
  readonly #table: ReadonlyMap<string, InlineRenderer>;
  #isStale = false;

  constructor(view: EditorView, table: ReadonlyMap<string, InlineRenderer>) {
    this.#table = table;
    this.#build(view);
  }

  update(update: ViewUpdate): void {
    const isDue = this.#isStale || needsBuild(update);
    if (!isDue) return;
    // Decorations that change around a composition garble its text; under a pressed mouse they move it.
    if (update.view.composing || isFrozen(update.state)) {
      this.decorations = this.decorations.map(update.changes);
      this.atomic = this.atomic.map(update.changes);
      this.#isStale = true;
      return;
    }
    this.#build(update.view);
  }

  #build(view: EditorView): void {
    const built = buildDecorations(view.state, view.visibleRanges, this.#table);
    this.decorations = built.decorations;
    this.atomic = built.atomic;
    this.#isStale = false;
    countBuild(built.decorations.size);
  }
}

function needsBuild(update: ViewUpdate): boolean {
  if (update.docChanged || update.viewportChanged || update.selectionSet) return true;
  if (syntaxTree(update.startState) !== syntaxTree(update.state)) return true;
  if (update.startState.facet(canWriteNote) !== update.state.facet(canWriteNote)) return true;
  return update.transactions.some(changesInteraction);
}

/** How often decorations were built, and how many: measured, because both grow with what is typed. */
export const buildCounts = { builds: 0, decorations: 0 };

function countBuild(size: number): void {
  buildCounts.builds++;
  buildCounts.decorations += size;
}
