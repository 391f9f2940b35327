import { test } from 'node:test';
import { onEachEngine } from '../kit/engines.ts';
import { undoRun } from './undo.ts';

onEachEngine('undoing what one of two people wrote', (open) => {
  test('undoing what one of two people wrote loses no word of the other', async () => {
    // Seeds that found a partly undone note unnamed when repeated, equal letters of another write removed, and words
    // joined because the blank between them was undone.
    await undoRun(open, [1, 568358645, 984448898, 984448941, 984448990]);
  });
});
