import { test } from 'node:test';
import { Random } from '../../../../server/test/kit/random.ts';
import { runTabs } from '../test/note-browser-run.ts';

test('in 300 seeds no edit in several tabs is lost, doubled, or called sent too early', async () => {
  for (let seed = 1; seed <= 300; seed++) await runTabs(new Random(seed));
});
