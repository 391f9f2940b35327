import type { Mutation } from '../browser.ts';

/** The plugin without one of the guards of live notes. */
export interface Mutant extends Mutation {
  readonly name: string;
  /** A second guard, where one alone holds. */
  readonly and?: Mutation;
  /** Part of a test title; at least one test with it must fail. */
  readonly test: string;
}

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'a view counts as the owner of every editor',
    file: 'live/bound-editor.ts',
    guard: 'editorOf(shown) === view) owner = shown;',
    without: "shown.file !== null && view.dom.className !== '') owner = shown;",
    test: 'a second pane and a popout',
  },
  {
    name: 'editors within a note count as the note’s own',
    file: 'live/bound-editor.ts',
    guard: 'editorOf(shown) === view) owner = shown;',
    without: 'shown.containerEl.contains(view.dom)) owner = shown;',
    and: {
      file: 'live/live-notes.ts',
      guard: 'if (text === null || !watched.hasShown(text)) return;',
      without: 'if (text === null) return;',
    },
    test: 'P1',
  },
  {
    name: 'a view keeps its connection when it gets another note',
    file: 'live/bound-editor.ts',
    guard: 'this.owner.file === this.#file && ',
    without: '',
    test: 'a view reused for another note',
  },
  {
    name: 'what others write can be taken back',
    file: 'live/bound-editor.ts',
    guard: 'Transaction.addToHistory.of(false), ',
    without: '',
    test: 'P10',
  },
  {
    name: 'filters of other plugins keep out what others write',
    file: 'live/bound-editor.ts',
    guard: 'filter: false,',
    without: '',
    test: 'a filter of another plugin',
  },
  {
    name: 'a text that the app sets counts as typed',
    file: 'live/bound-editor.ts',
    guard: 'if (!isTaken(data)) before(data, clears);',
    without: 'before(data, clears);',
    test: 'the same rewriting of a link',
  },
  {
    name: 'a change that nobody typed is an edit of the document',
    file: 'live/foreign-texts.ts',
    guard: 'if (!(await this.#isSaved())) {',
    without: 'if (!(await this.#isSaved()) || sent === null) {',
    test: 'the same rewriting of a link',
  },
  {
    name: 'one’s own cursor counts as another one',
    file: 'live/cursors.ts',
    guard: 'client === awareness.clientID || ',
    without: '',
    test: 'remote cursors are shown',
  },
  {
    name: 'a note that is closed is not given back',
    file: 'live/live-notes.ts',
    guard: 'if (live.editors.size === 0) void live.close();',
    without: '',
    test: 'a note that is closed has in its file',
  },
  {
    name: 'a text was made from the one that looks most like it',
    file: 'live/texts.ts',
    guard:
      'if (change.removed > least.removed) continue;\n      if (change.removed === least.removed && change.added >= least.added) continue;',
    without: 'if (change.removed + change.added >= least.removed + least.added) continue;',
    test: 'a property that was set elsewhere',
  },
  {
    name: 'an empty file empties the note',
    file: 'live/live-file.ts',
    guard: "if (text === '' && this.text !== '') return;",
    without: '',
    test: 'a file that is empty for a moment',
  },
  {
    name: 'the device keeps nothing',
    file: 'live/live-file.ts',
    guard: 'else if (isLocal || this.editors.size > 0) void this.#beginCopy();',
    without: '',
    test: 'after the device has the letters, before the server',
  },
  {
    name: 'what the device keeps is not sent before the note is opened',
    file: 'live/live-notes.ts',
    guard: 'if (file !== null) void this.#start(file);',
    without: '',
    test: 'is sent at the next start without being opened',
  },
  {
    name: 'a change that waits is not kept',
    file: 'live/live-file.ts',
    guard: 'changed: (foreign) => this.#change({ foreign, onDisk: this.#recent.onDisk }),',
    without: 'changed: async () => undefined,',
    test: 'that was being sent',
  },
  {
    name: 'a change is sent before it is kept how',
    file: 'live/foreign-texts.ts',
    guard: 'await this.#change(',
    without: 'void this.#change(',
    test: 'only once the device keeps how',
  },
  {
    name: 'the app saves over what is not kept yet',
    file: 'live/live-file.ts',
    guard: 'kept: () => (this.#keeping.size === 0 ? null : this.#kept()),',
    without: 'kept: () => null,',
    test: 'before the device keeps it',
  },
  {
    name: 'a document of another lineage is the note’s',
    file: 'live/live-file.ts',
    guard: "if (end === 'foreign_lineage') void this.#keepBeside();\n    else if",
    without: 'if',
    test: 'a document that the server did not begin',
  },
  {
    name: 'what another pane has saved is no change of the file',
    file: 'live/live-file.ts',
    guard: ' || (isNew && this.editors.size > 1)',
    without: '',
    test: 'what the app merges in one pane',
  },
  {
    name: 'what the file had is forgotten at the next start',
    file: 'live/live-file.ts',
    guard: 'this.#recent.add(copy.onDisk);',
    without: '',
    test: 'changes twice after the next start',
  },
  {
    name: 'what only the file has was made from what it had before',
    file: 'live/live-file.ts',
    guard: 'isOnDisk || at >= copy.updates.length - MAX_CANDIDATES',
    without: 'isOnDisk',
    test: 'has what only the file has',
  },
];
