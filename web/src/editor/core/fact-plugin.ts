import { syntaxTree } from '@codemirror/language';
import { type EditorView, ViewPlugin, type ViewUpdate } from '@codemirror/view';
import { findFrontmatter } from '@notevault/note-text/frontmatter/fence.ts';
import type { FactStore } from './facts.ts';
import { headingsOf, selectionOf, wordCountOf } from './text-facts.ts';

const DELAY_MS = 250;

/** Updates the facts: the selection at once, counts of the whole text when typing pauses. */
export function factPlugin(store: FactStore) {
  return ViewPlugin.define((view) => new FactUpdater(view, store));
}

class FactUpdater {
  readonly #view: EditorView;
  readonly #store: FactStore;
  #timer: ReturnType<typeof setTimeout> | null = null;
  /** Increases with every edit, so that the count of a stale text is abandoned. */
  #generation = 0;
  #selectionTimer: ReturnType<typeof setTimeout> | null = null;

  constructor(view: EditorView, store: FactStore) {
    this.#view = view;
    this.#store = store;
    store.update({ selection: selectionOf(view.state) });
    this.#schedule(0);
  }

  update({ docChanged, selectionSet, state, startState }: ViewUpdate): void {
    if (docChanged || selectionSet) {
      this.#store.update({ selection: selectionOf(state) });
      if (!state.selection.main.empty || this.#store.get().selectedWords > 0) this.#scheduleSelection();
    }
    // The first reading may have happened before the parser finished the note.
    if (docChanged || syntaxTree(state) !== syntaxTree(startState)) this.#schedule(DELAY_MS);
  }

  destroy(): void {
    this.#generation++;
    if (this.#timer !== null) clearTimeout(this.#timer);
    if (this.#selectionTimer !== null) clearTimeout(this.#selectionTimer);
  }

  #scheduleSelection(): void {
    if (this.#selectionTimer !== null) clearTimeout(this.#selectionTimer);
    this.#selectionTimer = setTimeout(() => void this.#readSelection(), DELAY_MS);
  }

  async #readSelection(): Promise<void> {
    const timer = this.#selectionTimer;
    const { state } = this.#view;
    const { from, to } = state.selection.main;
    const isCurrent = () => timer === this.#selectionTimer;
    const selectedWords = await wordCountOf(state.sliceDoc(from, to), async () => {
      await idle();
      return isCurrent();
    });
    if (selectedWords !== null && isCurrent()) this.#store.update({ selectedWords });
  }

  #schedule(delay: number): void {
    this.#generation++;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#read(), delay);
  }

  async #read(): Promise<void> {
    const generation = this.#generation;
    const { state } = this.#view;
    this.#store.update({ headings: headingsOf(state), characters: state.doc.length });
    const text = state.doc.toString();
    const words = await wordCountOf(text.slice(findFrontmatter(text).bodyStart), async () => {
      await idle();
      return generation === this.#generation;
    });
    if (words !== null && generation === this.#generation) this.#store.update({ words });
  }
}

function idle(): Promise<void> {
  return new Promise((resolve) => {
    // Safari has no idle callbacks.
    if (typeof requestIdleCallback === 'function') requestIdleCallback(() => resolve());
    else setTimeout(resolve, 0);
  });
}
