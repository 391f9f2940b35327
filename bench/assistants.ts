import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { allTools } from '@notevault/mcp/all-tools.ts';
import { tokensOf } from '@notevault/mcp/text/tokens.ts';
import { Assistant } from '../server/test/kit/clients/mcp.ts';
import { handWritten } from '../server/test/kit/content/test-vault.ts';
import { Caller } from '../server/test/kit/person.ts';
import { doTasks, writeTaskNotes } from '../server/test/mcp/everyday-tasks.ts';
import { startServer } from './kit/processes.ts';
import { newKey, signUp } from './kit/vault.ts';

// How many calls and tokens do everyday tasks of an assistant take? Argument: the folder of a vault; without one, the
// vault of the tests. Tokens are those of arguments and answers, as `tokensOf` estimates them.
const folder = process.argv.slice(2).find((arg) => !/^\d+$|^--/.test(arg));

function notesOf(vault: string | undefined): Map<string, string> {
  if (vault === undefined) return new Map(handWritten('en'));
  const paths = globSync('**/*.md', { cwd: vault }).sort();
  return new Map(paths.map((path) => [path.replaceAll('\\', '/'), readFileSync(join(vault, path), 'utf8')]));
}

/** Searches until the index is made, which takes longer on a busy machine than a search may. */
async function waitForIndex(): Promise<void> {
  const json = { ...headers, 'content-type': 'application/json' };
  const search = () => fetch(`${server.url}/api/search`, { method: 'POST', headers: json, body: '{"query":"note"}' });
  while (!(await search()).ok) await delay(500);
}

await using server = await startServer({ NOTEVAULT_MCP_WRITES_PER_MINUTE: '0' });
const headers = await signUp(server.url);
const notes = [...notesOf(folder)].map(([path, content]) => ({ path, content, mtime: 1 }));
for (let at = 0; at < notes.length; at += 100) {
  const json = { ...headers, 'content-type': 'application/json', 'x-idempotency-key': `bench-${at}` };
  const body = JSON.stringify({ notes: notes.slice(at, at + 100) });
  const answer = await fetch(`${server.url}/api/notes/batch`, { method: 'POST', headers: json, body });
  if (!answer.ok) throw new Error(`filling the vault was answered ${answer.status}`);
}
await writeTaskNotes(new Caller(server.url, async () => headers));
const key = await newKey(server.url, headers);
await waitForIndex();
const costs = await doTasks(() => Assistant.connect(server, key), Date.now());
const listed = allTools.map(({ name, description, input }) =>
  JSON.stringify({ name, description, inputSchema: input }),
);
console.log(
  `${notes.length} notes and those of the tasks; definitions of ${allTools.length} tools: about ${tokensOf(listed.join('\n'))} tokens`,
);
console.table(costs);
