/** Everyday tasks of an assistant, as the calls that a good model makes: they use nothing that no answer told. */
import { tokensOf } from '@notevault/mcp/text/tokens.ts';
import type { Assistant } from '../kit/clients/mcp.ts';
import type { Caller } from '../kit/person.ts';

const OWN = 'Bench';
const TAGGED = 40;
const WEEK_MS = 7 * 86_400_000;
const DELETED = `${OWN}/Old list.md`;

/** Notes that the tasks are about. */
function taskNotes(): Map<string, string> {
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
    [DELETED, '# Old list\n\nMilk.\n'],
  ]);
}

/** A conversation: counts calls, and the tokens of their arguments and answers. */
class Conversation {
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
  readonly run: (conversation: Conversation, now: number) => Promise<unknown>;
}

const note = (name: string) => `${OWN}/${name}.md`;

const TASKS: readonly Task[] = [
  {
    name: 'find what the notes say about a topic',
    async run(conversation) {
      const { results } = (await conversation.call('search_notes', { query: 'heavy soil', limit: 5 })).data;
      await conversation.call('get_notes', { paths: [results[0].path] });
    },
  },
  {
    name: 'list the open tasks, tick one',
    async run(conversation) {
      const { tasks } = (await conversation.call('list_tasks', { folder: OWN })).data;
      const { path, line, text } = tasks[0];
      await conversation.call('set_task', { path, line, text, state: 'done' });
    },
  },
  { name: 'list all open tasks of the vault', run: (conversation) => conversation.call('list_tasks', {}) },
  { name: 'find dangling links', run: (conversation) => conversation.call('list_links', { dangling: true }) },
  {
    name: 'tag a folder of 40 notes',
    run: (conversation) => conversation.call('tag_notes', { folder: `${OWN}/Meetings`, add: ['meeting'] }),
  },
  {
    name: 'tabulate a property of a folder',
    run: (conversation) =>
      conversation.call('query_notes', { folder: OWN, columns: ['status'], sort: [{ by: 'status' }] }),
  },
  {
    name: 'add to a heading of an absent note',
    run: (conversation) =>
      conversation.call('append_to_note', { path: note('Today'), heading: 'Log', text: 'Sown.', create: true }),
  },
  {
    name: 'rename a note with the links to it',
    run: (conversation) => conversation.call('rename_note', { path: note('Plan'), new_path: note('Year plan') }),
  },
  {
    name: 'merge two notes',
    callsMax: 3,
    async run(conversation) {
      const { notes } = (await conversation.call('get_notes', { paths: [note('Garden'), note('Garden notes')] })).data;
      await conversation.call('append_to_note', {
        path: note('Garden'),
        text: notes[1].content,
        base_hash: notes[0].hash,
      });
      await conversation.call('delete_note', { path: note('Garden notes'), base_hash: notes[1].hash });
    },
  },
  {
    name: 'move a section to another note',
    callsMax: 3,
    async run(conversation) {
      const [garden] = (await conversation.call('get_notes', { paths: [note('Garden')], section: 'Water' })).data.notes;
      await conversation.call('append_to_note', { path: note('Well'), text: garden.section });
      const edits = [{ op: 'replace_text', old_text: garden.section, new_text: '' }];
      await conversation.call('edit_note', { path: note('Garden'), edits, base_hash: garden.hash });
    },
  },
  {
    name: 'restore a deleted note in a new conversation',
    run: (conversation) => conversation.call('restore_note', { path: DELETED }),
  },
  {
    name: 'say what changed this week, undo the last change',
    async run(conversation, now) {
      const since = new Date(now - WEEK_MS).toISOString();
      const { items } = (await conversation.call('recent_changes', { since })).data;
      await conversation.call('undo_change', { item: items[0].id });
    },
  },
];

/** Writes the notes of the tasks; one of them is deleted. */
export async function writeTaskNotes(vault: Pick<Caller, 'post' | 'delete'>): Promise<void> {
  const notes = [...taskNotes()].map(([path, content]) => ({ path, content, mtime: 1 }));
  await vault.post('/notes/batch', { notes }, { 'x-idempotency-key': 'tasks' });
  await vault.delete(`/notes/${encodeURIComponent(DELETED)}`);
}

export interface TaskCost {
  readonly task: string;
  readonly calls: number;
  readonly tokens: number;
}

/** Does each task in a new conversation. Throws if a call fails or a task takes more calls than allowed. */
export async function doTasks(connect: () => Promise<Assistant>, now: number): Promise<TaskCost[]> {
  const costs: TaskCost[] = [];
  for (const { name, callsMax = 2, run } of TASKS) {
    await using assistant = await connect();
    const conversation = new Conversation(assistant);
    await run(conversation, now);
    const { calls, tokens } = conversation;
    if (calls > callsMax) throw new Error(`${name}: ${calls} calls, ${callsMax} are allowed`);
    costs.push({ task: name, calls, tokens });
  }
  return costs;
}
