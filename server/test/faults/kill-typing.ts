import { AcknowledgingClient } from '../kit/clients/acknowledging-client.ts';
import { Caller } from '../kit/person.ts';
import { makeDataPlace } from '../kit/programs/data-place.ts';
import { Folder, type ServeProcess, startServe } from '../kit/programs/process.ts';
import { anySeed, endRun, runOptions } from '../kit/programs/run.ts';
import { Random } from '../kit/random.ts';
import { registerAt } from '../kit/setup-tokens.ts';
import type { KillRun } from './kill.ts';
import { checkWords } from './typed-words.ts';

/*
 * node server/test/faults/kill-typing.ts --engine sqlite|postgres [--times 50] [--seed N]
 *
 * Kills a server again and again, on the same data, while twenty clients type into four of its notes. After each kill
 * every acknowledged word must be in its note once; when all clients are back, every typed word must be.
 */

const PEOPLE = 20;
const NOTES = 4;
/** Unacknowledged words per client: more than a commit waits for. */
const AHEAD = 6;

const account = { email: 'alice@example.org', password: 'a long enough password' };

/** Returns every fault found, in words; empty when the server survived all kills. */
export async function killTyping({ engine, times, seed, report = () => undefined }: KillRun): Promise<string[]> {
  const random = new Random(seed);
  using folder = new Folder();
  await using opened = new AsyncDisposableStack();
  const { env, inconsistencies } = await makeDataPlace(engine, folder.path, opened);
  let server = opened.use(await startServe({ env }));
  await registerAt(server.url, account);
  const notes = await makeNotes(server.url);
  const people = Array.from({ length: PEOPLE }, (_, at) => new AcknowledgingClient(`p${at}`, notes[at % NOTES] ?? ''));
  opened.defer(() => {
    for (const person of people) person.leave();
  });
  for (let kill = 1; kill <= times; kill++) {
    const token = await signIn(server.url);
    await Promise.all(people.map((person) => person.join(server.url, token)));
    const before = acknowledgedBy(people);
    await killWhileTyping(server, people, random);
    const kept = acknowledgedBy(people) - before;
    server = opened.use(await startServe({ env }));
    const faults = await checkWords(await callerOf(server.url), people);
    faults.push(...(await inconsistencies()));
    report(`kill ${kill}: ${kept} words acknowledged, ${faults.length} faults`);
    if (faults.length > 0) return faults;
  }
  const faults = await checkTogether(server.url, people);
  const { code, stdout, stderr } = await server.stop();
  return code === 0 ? faults : [...faults, `the last server ended with ${code}: ${stdout}${stderr}`];
}

async function signIn(url: string): Promise<string> {
  return (await new Caller(url).post('/auth/login', account)).body.access_token;
}

async function callerOf(url: string): Promise<Caller> {
  const token = await signIn(url);
  return new Caller(url, async () => ({ authorization: `Bearer ${token}` }));
}

async function makeNotes(url: string): Promise<string[]> {
  const caller = await callerOf(url);
  await caller.post('/vaults', { name: 'Notes' });
  const made = Array.from({ length: NOTES }, (_, at) =>
    caller.post('/notes', { path: `n${at}.md`, content: '', mtime: 1 }),
  );
  return (await Promise.all(made)).map(({ body }) => body.note.id);
}

function acknowledgedBy(people: readonly AcknowledgingClient[]): number {
  return people.reduce((sum, { acknowledged }) => sum + acknowledged.size, 0);
}

/** Kills at a random time: after some number of acknowledgements and some milliseconds more. */
async function killWhileTyping(
  server: ServeProcess,
  people: readonly AcknowledgingClient[],
  random: Random,
): Promise<void> {
  const enough = acknowledgedBy(people) + 100 + random.below(1500);
  const after = random.below(30);
  let killed = false;
  const person = async (typing: AcknowledgingClient) => {
    while (typing.connected) {
      if (typing.ahead === 0 || (typing.ahead < AHEAD && random.chance(0.9))) typing.type(random.below(10_000));
      else await typing.acknowledgedOnce();
      if (killed || acknowledgedBy(people) < enough) continue;
      killed = true;
      setTimeout(() => server.child.kill('SIGKILL'), after);
    }
  };
  await Promise.all(people.map(person));
  await server.ended;
}

/** Checks that all clients and the server have the same text once all are back. */
async function checkTogether(url: string, people: readonly AcknowledgingClient[]): Promise<string[]> {
  const token = await signIn(url);
  await Promise.all(people.map((person) => person.join(url, token)));
  while (people.some((person) => person.ahead > 0))
    await Promise.race(people.map((person) => person.acknowledgedOnce()));
  const faults = await checkWords(await callerOf(url), people);
  for (const person of people) {
    const unkept = person.typed.length - person.acknowledged.size;
    if (unkept > 0) faults.push(`${unkept} words of ${person.typed[0]} were not acknowledged in the end`);
  }
  return faults;
}

if (import.meta.main) {
  const run = runOptions({ times: 50, seed: anySeed() });
  console.log(`${run.engine}, ${run.times} kills, --seed ${run.seed}`);
  endRun(await killTyping({ ...run, report: console.log }));
}
