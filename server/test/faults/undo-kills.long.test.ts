import { test } from 'node:test';
import { onEachEngine } from '../kit/engines.ts';
import { undoKilledImport } from './undo-kills.ts';

onEachEngine('the undo of a large import', (open) => {
  test('the undo of an import of 5,000 notes that is cut off goes on when it is repeated', async () => {
    await undoKilledImport(open, 5000);
  });
});
