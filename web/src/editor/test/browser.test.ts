import { after, before, describe } from 'node:test';
import { noChromium } from '../../../../tools/chromium.ts';
import { type EditorBrowser, startBrowser } from './browser.ts';
import { blockTests } from './suites/blocks.ts';
import { caretTests } from './suites/caret.ts';
import { commandTests } from './suites/commands.ts';
import { concurrentTests } from './suites/concurrent.ts';
import { editingTests } from './suites/editing.ts';
import { heldPlaceTests } from './suites/held-place.ts';
import { hostileTests } from './suites/hostile.ts';
import { inputMethodTests } from './suites/input-method.ts';
import { insertingTests } from './suites/inserting.ts';
import { longNoteTests } from './suites/long-note.ts';
import { pasteTests } from './suites/paste.ts';
import { richTests } from './suites/rich.ts';
import { storeTests } from './suites/store.ts';
import { tableTests } from './suites/tables.ts';
import { touchTests } from './suites/touch.ts';
import { undoTests } from './suites/undo.ts';

describe('the editor in Chromium', { skip: noChromium ?? false, timeout: 15 * 60_000 }, () => {
  let browser: EditorBrowser | null = null;
  before(async () => {
    browser = await startBrowser();
  });
  after(() => browser?.[Symbol.asyncDispose]());
  const open = () => {
    if (browser === null) throw new Error('the browser did not start');
    return browser;
  };
  caretTests(open);
  touchTests(open);
  editingTests(open);
  commandTests(open);
  insertingTests(open);
  concurrentTests(open);
  inputMethodTests(open);
  richTests(open);
  blockTests(open);
  tableTests(open);
  pasteTests(open);
  hostileTests(open);
  storeTests(open);
  longNoteTests(open);
  heldPlaceTests(open);
  undoTests(open);
});
