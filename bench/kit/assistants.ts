import { load } from './load.ts';
import { toolCall } from './tool-call.ts';

// Assistants that read, search and write notes until the process ends, each with its own key; a model thinks for a
// second between its turns. Prints how many calls were answered.
const { url, vault, keys, ids } = JSON.parse(process.env.BENCH_ASSISTANTS ?? '{}') as {
  readonly url: string;
  readonly vault: string;
  readonly keys: readonly string[];
  readonly ids: readonly string[];
};
const THINKING_MS = 1000;
let calls = 0;

async function assist(key: string, agent: number): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  for (let index = agent; ; index += keys.length) {
    const id = ids[(index * 37) % ids.length] ?? '';
    const shots = [
      toolCall('get_notes', { vault, ids: [id] }),
      toolCall('search_notes', { vault, query: `note ${index}`, mode: 'keyword' }),
      toolCall('append_to_note', { vault, id, text: 'a line' }),
    ];
    for (const shot of shots) {
      await load(url, headers, 1, 1, () => shot);
      calls += 1;
      process.stdout.write(`calls ${calls}\n`);
    }
    await new Promise((resolve) => setTimeout(resolve, THINKING_MS));
  }
}

await Promise.all(keys.map(assist));
