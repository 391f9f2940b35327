import { inChromium } from './in-chromium.ts';
import { blockTests } from './suites/blocks.ts';
import { heldPlaceTests } from './suites/held-place.ts';
import { hostileTests } from './suites/hostile.ts';
import { inputMethodTests } from './suites/input-method.ts';
import { insertingTests } from './suites/inserting.ts';
import { longNoteTests } from './suites/long-note.ts';
import { pasteTests } from './suites/paste.ts';
import { publicPageTests } from './suites/public-page.ts';
import { richTests } from './suites/rich.ts';
import { storeTests } from './suites/store.ts';
import { tableTests } from './suites/tables.ts';
import { undoTests } from './suites/undo.ts';

// One half of the suites; commands-browser.test.ts has the other, so that both run in parallel.
inChromium('the editor in Chromium', [
  insertingTests,
  inputMethodTests,
  richTests,
  blockTests,
  tableTests,
  pasteTests,
  hostileTests,
  publicPageTests,
  storeTests,
  longNoteTests,
  heldPlaceTests,
  undoTests,
]);
