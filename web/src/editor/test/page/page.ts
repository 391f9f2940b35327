import { EditorView } from '@codemirror/view';
import type { LinkTarget } from '@notevault/note-html/links/destination.ts';
import { Awareness } from 'y-protocols/awareness';
import {
  applyUpdate,
  createRelativePositionFromTypeIndex,
  Doc,
  encodeStateAsUpdate,
  UndoManager,
  type YTextEvent,
} from 'yjs';
import { editor as texts } from '../../../i18n/en/editor.ts';
import { COMMANDS } from '../../commands/commands.ts';
import { type DeviceStore, openDeviceStore } from '../../device.ts';
import {
  createEditor,
  type EditorCaret,
  type EditorCommand,
  type EditorController,
  type EditorMode,
  type EditorServices,
} from '../../index.ts';
import { interaction } from '../../preview/preview-state.ts';
import { buildCounts } from '../../preview/visible-walk.ts';

/** Interface of the editor page for browser tests. */
export interface Harness {
  start(text: string, mode?: EditorMode): void;
  /** Closes the editor, calls `meanwhile`, and reopens the note with the same cursor. */
  reopen(meanwhile: () => void): void;
  readonly editor: EditorController;
  /** Moves the cursor, and waits until the preview has noticed the focus, which CodeMirror reports a moment later. */
  goTo(offset: number): Promise<void>;
  /** Returns the text as another client sees it. */
  stored(): string;
  /** Makes an edit as another client would. */
  remote(at: number, remove: number, insert: string): void;
  /** Shows the cursor of another client. */
  remoteCursor(at: number): void;
  /** Runs a command with a selection while another client types a letter that it has not seen. */
  concurrently(command: EditorCommand, selection: readonly [number, number], typedAt: number): ConcurrentEdit;
  readonly commands: readonly EditorCommand[];
  /** Opens an account's store of documents in this browser. */
  deviceStore(account: string, now?: () => number): DeviceStore;
  readonly counts: typeof buildCounts;
  readonly opened: LinkTarget[];
  readonly uploaded: string[];
  notes: Record<string, string>;
  media: Record<string, string>;
}

/** Changes of a command, and the text that both clients have after it. */
export interface ConcurrentEdit {
  readonly before: string;
  readonly after: string;
  readonly changes: readonly { readonly from: number; readonly to: number; readonly insert: string }[];
  readonly mine: string;
  readonly theirs: string;
}

const other = new Doc();
let doc = new Doc();
let awareness = new Awareness(doc);
let editor: EditorController | null = null;

const harness: Harness = {
  start(text, mode = 'preview') {
    editor?.[Symbol.dispose]();
    doc = new Doc();
    doc.getText('content').insert(0, text);
    doc.on('update', (update: Uint8Array) => applyUpdate(other, update, 'sync'));
    applyUpdate(other, encodeStateAsUpdate(doc));
    open(mode);
  },
  reopen(meanwhile) {
    const { mode } = harness.editor;
    const caret = harness.editor.caret();
    harness.editor[Symbol.dispose]();
    meanwhile();
    open(mode, caret);
  },
  get editor() {
    if (editor === null) throw new Error('not started');
    return editor;
  },
  async goTo(offset) {
    harness.editor.goTo(offset);
    const view = EditorView.findFromDOM(document.body);
    while (view?.state.field(interaction).hasFocus === false) await new Promise(requestAnimationFrame);
  },
  stored: () => doc.getText('content').toString(),
  remote(at, remove, insert) {
    const peer = new Doc();
    applyUpdate(peer, encodeStateAsUpdate(doc));
    peer.getText('content').delete(at, remove);
    peer.getText('content').insert(at, insert);
    applyUpdate(doc, encodeStateAsUpdate(peer), 'remote');
  },
  remoteCursor(at) {
    const place = createRelativePositionFromTypeIndex(doc.getText('content'), at);
    awareness.states.set(other.clientID, { user: { name: 'bob' }, cursor: { anchor: place, head: place } });
    awareness.emit('change', [{ added: [], updated: [other.clientID], removed: [] }, 'remote']);
  },
  concurrently(command, [anchor, head], typedAt) {
    const text = doc.getText('content');
    const view = EditorView.findFromDOM(document.body);
    const isHistory = command === 'undo' || command === 'redo';
    view?.dispatch({ selection: { anchor, head: isHistory ? anchor : head } });
    if (isHistory) harness.editor.insert('MINE');
    if (command === 'redo') harness.editor.run('undo');
    const peer = new Doc();
    applyUpdate(peer, encodeStateAsUpdate(doc));
    const before = text.toString();
    const changes: ConcurrentEdit['changes'][number][] = [];
    // Each change in offsets of the text before it.
    const record = ({ delta }: { readonly delta: YTextEvent['delta'] }) => {
      let at = 0;
      for (const { retain = 0, delete: removed = 0, insert = '' } of delta) {
        at += retain;
        if (removed > 0 || insert !== '') changes.push({ from: at, to: at + removed, insert: String(insert) });
        at += removed;
      }
    };
    text.observe(record);
    harness.editor.run(command);
    text.unobserve(record);
    const after = text.toString();
    peer.getText('content').insert(typedAt, '☃');
    const update = encodeStateAsUpdate(peer);
    applyUpdate(peer, encodeStateAsUpdate(doc));
    applyUpdate(doc, update, 'remote');
    return { before, after, changes, mine: text.toString(), theirs: peer.getText('content').toString() };
  },
  commands: Object.keys(COMMANDS) as EditorCommand[],
  deviceStore: (account, now = () => Date.now()) => openDeviceStore(indexedDB, now, account),
  counts: buildCounts,
  opened: [],
  uploaded: [],
  notes: {},
  media: {},
};

function open(mode: EditorMode, caret?: EditorCaret): void {
  const parent = document.querySelector<HTMLElement>('#editor');
  if (parent === null) throw new Error('no place for the editor');
  const text = doc.getText('content');
  awareness = new Awareness(doc);
  editor = createEditor(parent, {
    text,
    undo: new UndoManager(text),
    awareness,
    services: fakeServices(),
    mode,
    canWrite: true,
    label: 'A note',
    caret,
  });
}

function fakeServices(): EditorServices {
  const names = () => Object.keys(harness.notes);
  return {
    links: {
      status: ({ target }) => (target === '' || target in harness.notes ? 'live' : 'dangling'),
      open: (link) => void harness.opened.push(link),
      onChange: () => () => undefined,
    },
    completions: {
      notes: async (query) =>
        names()
          .filter((name) => name.toLowerCase().includes(query.toLowerCase()))
          .map((title) => ({ title, insert: title, detail: '' })),
      note: async (target) => ({ text: harness.notes[target] ?? '', isThis: target === '' }),
      async change(target, edit) {
        const changed = edit(harness.notes[target] ?? '');
        if (changed !== null) harness.notes[target] = changed;
        return true;
      },
      tags: async () => ['tag', 'tag/nested'],
    },
    content: {
      excerpt: async ({ target }) =>
        target in harness.notes ? { title: target, text: harness.notes[target] ?? '' } : null,
      mediaUrl: async (path) => harness.media[path] ?? null,
      reasonOf: String,
      async upload(file, onProgress) {
        onProgress({ sent: file.size, total: file.size });
        harness.uploaded.push(file.name);
        return `Files/${file.name}`;
      },
    },
    strings: texts.strings,
    framesUrl: '/frames/',
  };
}

declare global {
  interface Window {
    harness: Harness;
  }
}
window.harness = harness;
