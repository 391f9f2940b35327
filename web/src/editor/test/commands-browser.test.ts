import { inChromium } from './in-chromium.ts';
import { caretTests } from './suites/caret.ts';
import { commandTests } from './suites/commands.ts';
import { concurrentTests } from './suites/concurrent.ts';
import { editingTests } from './suites/editing.ts';
import { touchTests } from './suites/touch.ts';

inChromium('the cursor and commands of the editor in Chromium', [
  caretTests,
  touchTests,
  editingTests,
  commandTests,
  concurrentTests,
]);
