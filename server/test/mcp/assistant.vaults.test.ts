import { test } from 'node:test';
import { foldPath } from '@notevault/note-text/paths.ts';
import { realNotes } from '../kit/content/real-vaults.ts';
import { onEachEngine } from '../kit/engines.ts';
import { assistantRun } from './scripted-assistant.ts';

const TASKS = 200;
/** Notes of a vault: every text is read again now and then. */
const NOTES = 300;

onEachEngine('a scripted assistant', (open) => {
  test('a scripted assistant does 200 tasks over a published vault beside people', async (context) => {
    const byPath = new Map([...realNotes('en')].map((note) => [foldPath(note[0]), note]));
    const step = Math.max(1, Math.floor(byPath.size / NOTES));
    const notes = [...byPath.values()].filter((_, index) => index % step === 0).slice(0, NOTES);
    const { done, characters, largest } = await assistantRun(open, 1, TASKS, notes);
    context.diagnostic(
      `${Math.round(characters / TASKS)} characters a task, largest answer ${largest}; ${JSON.stringify(done)}`,
    );
  });
});
