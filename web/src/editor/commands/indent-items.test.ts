import assert from 'node:assert/strict';
import { test } from 'node:test';
import { indentUnit } from '@codemirror/language';
import { EditorState, type TransactionSpec } from '@codemirror/state';
import type { EditorView } from '@codemirror/view';
import { indentItems } from './indent-items.ts';

/**
 * Returns the text after Tab (1) or Shift+Tab (-1). `‸` marks the ends of the selection, and the cursor in the result.
 */
function indented(marked: string, direction: 1 | -1): string {
  const [anchor = 0, head = anchor] = [...marked.matchAll(/‸/g)].map(({ index }, at) => index - at);
  let state = EditorState.create({
    doc: marked.replaceAll('‸', ''),
    selection: { anchor, head },
    extensions: indentUnit.of('    '),
  });
  const dispatch = (spec: TransactionSpec) => {
    state = state.update(spec).state;
  };
  indentItems(direction)({ state, dispatch } as EditorView);
  const { main } = state.selection;
  return `${state.sliceDoc(0, main.head)}‸${state.sliceDoc(main.head)}`;
}

test('Tab begins a nested numbered list at 1, and those behind the item move up', () => {
  assert.equal(indented('1. a\n2. b‸\n3. c\n4. d', 1), '1. a\n    1. b‸\n2. c\n3. d');
  assert.equal(indented('1. a\n    1. b\n2. c‸', 1), '1. a\n    1. b\n    2. c‸');
  assert.equal(indented('9. a\n10. b‸\n11. c', 1), '9. a\n    1. b‸\n10. c');
  assert.equal(indented('- a\n\n3) b‸', 1), '- a\n\n    1) b‸');
});

test('Shift and Tab numbers the item after the one above it, and those behind it in both lists', () => {
  assert.equal(indented('1. a\n    1. b\n    2. c‸\n    3. d\n2. e', -1), '1. a\n    1. b\n2. c‸\n    1. d\n3. e');
});

test('several selected items are numbered one after the other', () => {
  assert.equal(indented('1. a\n2. ‸b\n3. c‸\n4. d', 1), '1. a\n    1. b\n    2. c‸\n2. d');
});

test('numbers that did not follow each other, other lists and lists of another kind keep theirs', () => {
  assert.equal(indented('1. a\n1. b‸\n1. c', 1), '1. a\n    1. b‸\n1. c');
  assert.equal(indented('5. a\n\ntext\n\n1. b\n2. c‸', 1), '5. a\n\ntext\n\n1. b\n    1. c‸');
  assert.equal(indented('1. a\n2. b‸\n3) c', 1), '1. a\n    1. b‸\n3) c');
  assert.equal(indented('- a\n- b‸\n- c', 1), '- a\n    - b‸\n- c');
});
