import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { allTools } from '@notevault/mcp/all-tools.ts';
import { tokensOf } from '@notevault/mcp/text/tokens.ts';
import { Assistant } from '../server/test/kit/clients/mcp.ts';
import { handWritten } from '../server/test/kit/content/test-vault.ts';
import { startServer } from './kit/processes.ts';
import { newKey, signUp } from './kit/vault.ts';

// How many calls and tokens do everyday tasks of an assistant take? A script makes the calls that a good model would make,
// and uses nothing that no answer has told it. Argument: the folder of a vault; without one, the vault of the tests.
// Tokens are those of arguments and answers, as `tokensOf` estimates them. Throws if a task takes more calls than allowed.
const folder = process.argv.slice(2).find((arg) => !/^\d+$|^--/.test(arg));
const OWN = 'Bench';
const TAGGED = 40;
const WEEK_MS = 7 * 86_400_000;

/** Notes that the tasks are about, beside those of the vault. */
function ownNotes(): Map<string, string> {
  const meetings = Array.from({ length: TAGGED }, (_, at) => {
    return [
      `${OWN}/Meetings/Meeting ${at}.md`,
      `---\nstatus: open\n---\n# Meeting ${at}\n\nTopics of week ${at}.\n`,
    ] as const;
  });
  return new Map([
    ...meetings,
    [`${OWN}/Plan.md`, '# Plan\n\n- [ ] order seeds 📅 2026-12-01\n- [ ] repair the fence\n- [x] draw the beds\n'],
    [
      `${OWN}/Garden.md`,
      '# Garden\n\n## Beds\n\nThree beds.\n\n## Water\n\nRain barrel, see [[Plan]] and [[Wells]].\n',
    ],
    [`${OWN}/Garden notes.md`, '# Garden notes\n\nThe soil is heavy.\n'],
    [`${OWN}/Well.md`, '# Well\n\nEight metres deep.\n'],
    [`${OWN}/Old list.md`, '# Old list\n\nMilk.\n'],
  ]);
}

function notesOf(vault: string | undefined): Map<string, string> {
  if (vault === undefined) return new Map(handWritten('en'));
  const paths = globSync('**/*.md', { cwd: vault }).sort();
  return new Map(paths.map((path) => [path.replaceAll('\\', '/'), readFileSync(join(vault, path), 'utf8')]));
}

class Session {
  readonly #assistant: Assistant;
  calls = 0;
  tokens = 0;

  constructor(assistant: Assistant) {
    this.#assistant = assistant;
  }

  async call(name: string, input: Record<string, unknown>) {
    const result = await this.#assistant.call(name, input);
    if (result.isError) throw new Error(`${name}: ${result.text}`);
    this.calls += 1;
    this.tokens += tokensOf(JSON.stringify(input)) + tokensOf(result.text);
    return result;
  }
}

interface Task {
  readonly name: string;
  readonly callsMax?: number;
  readonly run: (session: Session) => Promise<unknown>;
}

const note = (name: string) => `${OWN}/${name}.md`;

const TASKS: readonly Task[] = [
  {
    name: 'find what the notes say about a topic',
    async run(session) {
      const { results } = (await session.call('search_notes', { query: 'heavy soil', limit: 5 })).data;
      await session.call('get_notes', { paths: [results[0].path] });
    },
  },
  {
    name: 'list the open tasks, tick one',
    async run(session) {
      const { tasks } = (await session.call('list_tasks', { folder: OWN })).data;
      const { path, line, text } = tasks[0];
      await session.call('set_task', { path, line, text, state: 'done' });
    },
  },
  { name: 'list all open tasks of the vault', run: (session) => session.call('list_tasks', {}) },
  { name: 'find dangling links', run: (session) => session.call('list_links', { dangling: true }) },
  {
    name: 'tag a folder of 40 notes',
    run: (session) => session.call('tag_notes', { folder: `${OWN}/Meetings`, add: ['meeting'] }),
  },
  {
    name: 'tabulate a property of a folder',
    run: (session) => session.call('query_notes', { folder: OWN, columns: ['status'], sort: [{ by: 'status' }] }),
  },
  {
    name: 'add to a heading of an absent note',
    run: (session) =>
      session.call('append_to_note', { path: note('Today'), heading: 'Log', text: 'Sown.', create: true }),
  },
  {
    name: 'rename a note with the links to it',
    run: (session) => session.call('rename_note', { path: note('Plan'), new_path: note('Year plan') }),
  },
  {
    name: 'merge two notes',
    callsMax: 3,
    async run(session) {
      const { notes } = (await session.call('get_notes', { paths: [note('Garden'), note('Garden notes')] })).data;
      await session.call('append_to_note', { path: note('Garden'), text: notes[1].content, base_hash: notes[0].hash });
      await session.call('delete_note', { path: note('Garden notes'), base_hash: notes[1].hash });
    },
  },
  {
    name: 'move a section to another note',
    callsMax: 3,
    async run(session) {
      const [garden] = (await session.call('get_notes', { paths: [note('Garden')], section: 'Water' })).data.notes;
      await session.call('append_to_note', { path: note('Well'), text: garden.section });
      const edits = [{ op: 'replace_text', old_text: garden.section, new_text: '' }];
      await session.call('edit_note', { path: note('Garden'), edits, base_hash: garden.hash });
    },
  },
  {
    name: 'restore a deleted note in a new conversation',
    run: (session) => session.call('restore_note', { path: note('Old list') }),
  },
  {
    name: 'say what changed this week, undo the last change',
    async run(session) {
      const since = new Date(Date.now() - WEEK_MS).toISOString();
      const { items } = (await session.call('recent_changes', { since })).data;
      await session.call('undo_change', { item: items[0].id });
    },
  },
];

/** Searches until the index is made, which takes longer on a busy machine than a search may. */
async function waitForIndex(): Promise<void> {
  const json = { ...headers, 'content-type': 'application/json' };
  const search = () => fetch(`${server.url}/api/search`, { method: 'POST', headers: json, body: '{"query":"note"}' });
  while (!(await search()).ok) await delay(500);
}

await using server = await startServer({ NOTEVAULT_MCP_WRITES_PER_MINUTE: '0' });
const headers = await signUp(server.url);
const notes = [...notesOf(folder), ...ownNotes()].map(([path, content]) => ({ path, content, mtime: 1 }));
for (let at = 0; at < notes.length; at += 100) {
  const json = { ...headers, 'content-type': 'application/json', 'x-idempotency-key': `bench-${at}` };
  const body = JSON.stringify({ notes: notes.slice(at, at + 100) });
  const answer = await fetch(`${server.url}/api/notes/batch`, { method: 'POST', headers: json, body });
  if (!answer.ok) throw new Error(`filling the vault was answered ${answer.status}`);
}
await fetch(`${server.url}/api/notes/${encodeURIComponent(note('Old list'))}`, { method: 'DELETE', headers });
const key = await newKey(server.url, headers);
await waitForIndex();
const table: object[] = [];
for (const { name, callsMax = 2, run } of TASKS) {
  await using assistant = await Assistant.connect(server, key);
  const session = new Session(assistant);
  await run(session);
  if (session.calls > callsMax) throw new Error(`${name}: ${session.calls} calls, ${callsMax} are allowed`);
  table.push({ task: name, calls: session.calls, tokens: session.tokens });
}
const listed = allTools.map(({ name, description, input }) =>
  JSON.stringify({ name, description, inputSchema: input }),
);
console.log(
  `${notes.length} notes; definitions of ${allTools.length} tools: about ${tokensOf(listed.join('\n'))} tokens`,
);
console.table(table);
