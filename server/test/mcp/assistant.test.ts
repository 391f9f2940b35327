import { test } from 'node:test';
import { onSqlite } from '../kit/engines.ts';
import { assistantRun } from './scripted-assistant.ts';

const TASKS = 40;

onSqlite('a scripted assistant', (open) => {
  test('works beside people over the test vault: nothing is lost, and no success is false', async (context) => {
    const { done, characters, largest } = await assistantRun(open, 2, TASKS);
    context.diagnostic(
      `${Math.round(characters / TASKS)} characters a task, largest answer ${largest}; ${JSON.stringify(done)}`,
    );
  });
});
