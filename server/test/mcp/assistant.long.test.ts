import { test } from 'node:test';
import { onEachEngine } from '../kit/engines.ts';
import { assistantRun } from './scripted-assistant.ts';

const TASKS = 200;
const SEEDS = [1, 2, 3];

onEachEngine('a scripted assistant', (open) => {
  for (const seed of SEEDS) {
    test(`a scripted assistant does 200 tasks over the test vault beside people, seed ${seed}`, async (context) => {
      const { done, characters, largest } = await assistantRun(open, seed, TASKS);
      context.diagnostic(
        `${Math.round(characters / TASKS)} characters a task, largest answer ${largest}; ${JSON.stringify(done)}`,
      );
    });
  }
});
