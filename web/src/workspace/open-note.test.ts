import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EditorController, EditorSession } from '../editor/index.ts';
import { OpenNote } from './open-note.ts';
import { Workspace } from './workspace.ts';

/** An editor that records its calls. */
function recorder(): { readonly calls: string[]; readonly editor: EditorController } {
  const calls: string[] = [];
  const editor = {
    focus: () => void calls.push('focus'),
    goToAnchor(anchor: string) {
      calls.push(anchor);
      return anchor === 'there';
    },
  };
  return { calls, editor: editor as unknown as EditorController };
}

function session(takesEdits: boolean): EditorSession {
  return { sends: async () => takesEdits } as unknown as EditorSession;
}

test('An open note does what was asked of it once its editor is there, and not again for the next editor', () => {
  const note = new OpenNote();
  note.wantFocus('editor');
  assert.equal(note.goToAnchor('there'), true);
  const [first, second] = [recorder(), recorder()];
  note.setEditor(first.editor);
  note.setEditor(null);
  note.setEditor(second.editor);
  assert.deepEqual([first.calls, second.calls], [['focus', 'there'], []]);
});

test('An open note goes to an anchor at once if it has an editor, and to none if none is named', () => {
  const note = new OpenNote();
  const { calls, editor } = recorder();
  note.goToAnchor('there');
  note.goToAnchor('');
  note.setEditor(editor);
  assert.deepEqual([note.goToAnchor('there'), note.goToAnchor('elsewhere'), note.goToAnchor('')], [true, false, false]);
  assert.deepEqual(calls, ['there', 'elsewhere']);
});

test('The focus that is wanted in a panel is not taken by the editor', () => {
  const note = new OpenNote();
  const { calls, editor } = recorder();
  note.wantFocus('panel');
  note.setEditor(editor);
  assert.deepEqual([calls, note.takeFocus('panel'), note.takeFocus('panel')], [[], true, false]);
});

test('The focus that is wanted in the title waits for that, and the editor does not take it', () => {
  const note = new OpenNote();
  const { calls, editor } = recorder();
  note.wantFocus('title');
  note.setEditor(editor);
  assert.equal(calls.length, 0);
  note.setTitle(() => void calls.push('title'));
  note.focusIfWanted();
  note.focusIfWanted();
  assert.deepEqual(calls, ['title']);
});

test('The workspace tells notes apart, and which of them is open and sends its edits', async () => {
  const workspace = new Workspace();
  workspace.note('a').session.set(session(true));
  workspace.note('b').session.set(session(false));
  workspace.note('c').wantFocus('editor');
  assert.deepEqual(
    ['a', 'b', 'c', 'd'].map((id) => workspace.isOpen(id)),
    [true, true, false, false],
  );
  assert.deepEqual(await Promise.all(['a', 'b', 'c', 'd'].map((id) => workspace.sends(id, []))), [
    true,
    false,
    false,
    false,
  ]);
  assert.equal(workspace.note('b').takeFocus('editor'), false);
});

test('The workspace forgets notes that were left long ago, but none that is open', () => {
  const workspace = new Workspace();
  workspace.note('open').session.set(session(true));
  workspace.note('left').caret = 'a caret' as never;
  for (let note = 0; note < 300; note++) workspace.note(`${note}`).caret = 'a caret' as never;
  assert.deepEqual([workspace.isOpen('open'), workspace.note('299').caret], [true, 'a caret']);
  assert.equal(workspace.note('left').caret, undefined);
});
