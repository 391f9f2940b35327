import { difference, nobodys, normal, plainly, UUID } from '../kit/alike.ts';
import {
  type Field,
  fieldsOf,
  inVaultOf,
  type Making,
  NEEDS,
  needsOf,
  needsOfRow,
  requestsOf,
  SECRETS,
  taken,
} from '../kit/operation-variants.ts';
import {
  CONTENT,
  type Known,
  knownOperations,
  makeWorld,
  type Need,
  type Request,
  type World,
} from '../kit/operations.ts';
import { type Answer, type Caller, Person } from '../kit/person.ts';
import { Random } from '../kit/random.ts';
import { startServer, type TestServer, type TestServerOptions } from '../kit/server.ts';

/*
 * Alice has a world of things. Two twins, who have done exactly the same in their accounts, call every operation: one
 * with alice's ids and names in place of their own, the other with made-up values of the same form. Neither the
 * answers, nor what the twins find in their own accounts afterwards, may reveal which of the two it was.
 */

/** Wrong device codes are counted, and after ten in an hour an account can link no device, not even its own. */
const COUNTED: readonly Field[] = ['userCode'];
interface Twin {
  /** A world in another vault of theirs. */
  readonly elsewhere: World;
  readonly caller: Caller;
  readonly key: Caller;
  /** The world that all reads use; made for the first of them. */
  readable?: World;
  world: World;
}

interface Isolation {
  readonly server: TestServer;
  readonly random: Random;
  readonly alice: World;
  readonly word: string;
  /** Values that no answer to anybody else may contain, unless they were in the request. */
  readonly hers: readonly string[];
  /** The first twin uses alice's values, the second values that belong to nobody. */
  twins: readonly [Twin, Twin];
  readonly faults: string[];
}

/**
 * Returns in words everything that told one user about another's things; empty when nothing did.
 *
 * @param others what is called instead of the operations of the API
 */
export async function isolationRun(
  open: TestServerOptions['open'],
  seed: number,
  rounds: number,
  others?: readonly Known[],
): Promise<string[]> {
  await using server = await startServer({ open, config: { mcpWritesPerMinute: 0 } });
  const random = new Random(seed);
  const word = nameWord(random);
  const owner = server.alice;
  const operations = await knownOperations(server.anyone);
  if (others === undefined) await useKeys(operations, owner);
  const alice = await makeWorld(owner, word, NEEDS);
  await owner.post('/logs', { logs: [{ message: `log line of ${word}` }] });
  const twins = await makeTwins(server, 0);
  const before = await everythingOf(operations, owner, alice);
  const hers = secretsIn(before, alice, word, server.alice.email);
  const run: Isolation = { server, random, alice, word, hers, twins, faults: [] };
  for (const [index, operation] of (others ?? operations).entries()) {
    if (operation.rule.who === 'anyone') continue;
    await askAbout(run, operation, rounds);
    if (requestsOf(operation).some((request) => fieldsOf(request, alice).some((field) => COUNTED.includes(field)))) {
      await compareReaders(run);
      run.twins = await makeTwins(server, index);
    }
  }
  await compareReaders(run);
  const after = await everythingOf(operations, owner, alice);
  for (const [name, was] of Object.entries(before)) {
    if (after[name] !== was)
      run.faults.push(`${name} says something else to alice now: ${difference(was, after[name])}`);
  }
  return run.faults;
}

/** Two new accounts that do the same things; `number` distinguishes them from earlier ones. */
async function makeTwins(server: TestServer, number: number): Promise<readonly [Twin, Twin]> {
  return [await makeTwin(server, `castor${number}`), await makeTwin(server, `pollux${number}`)];
}

async function makeTwin(server: TestServer, name: string): Promise<Twin> {
  const caller = new Person(server.url, name, () => server.alice.signed());
  const { key } = (await caller.post('/api-keys', { name: 'twin' })).body;
  const elsewhere = await makeWorld(caller, 'elsewhere', [...CONTENT, 'trash']);
  return { caller, key: server.bearer(key), elsewhere, world: elsewhere };
}

const sharedKey = (operation: string) => `shared key of ${operation}`;

/** Alice uses a key for every operation that takes one. */
async function useKeys(operations: readonly Known[], owner: Caller): Promise<void> {
  for (const operation of operations) {
    const { name, method, rule, request } = operation;
    if (method !== 'POST' || rule.who === 'anyone') continue;
    const world = await makeWorld(owner, `keys-${name}`, needsOfRow(operation));
    const { url, body, headers } = request(world);
    await owner.call(method, url, body, { ...headers, 'x-idempotency-key': encodeURIComponent(sharedKey(name)) });
  }
}

async function askAbout(run: Isolation, operation: Known, rounds: number): Promise<void> {
  const { random, alice, twins } = run;
  const requests = requestsOf(operation);
  const taking = (taken[operation.name] ?? []).map(inVaultOf(operation));
  const used = new Set([...requests, ...taking].flatMap((request) => fieldsOf(request, alice)));
  const needs = needsOf(used);
  await Promise.all(twins.map((twin) => giveWorld(twin, operation, needs)));
  const word = nameWord(random);
  const entries = Object.entries(alice).map(([field, value]) => [field, nobodys(random, value, run.word, word)]);
  const madeUp: World = Object.fromEntries(entries);
  const words = [run.word, word];
  const keys = [sharedKey(operation.name), `made up ${random.noise(12)}`] as const;
  for (const request of requests) {
    const fields = fieldsOf(request, alice).filter((field) => !SECRETS.includes(field));
    const alone = fields.map((field) => [field]);
    const drawn = Array.from({ length: rounds }, () => fields.filter(() => random.chance(0.5)));
    for (const foreign of [...alone, fields, ...drawn]) await ask(run, operation, request, { foreign, madeUp, words });
    // Conditional reads with the tag of her answer: about one's own things, and about hers.
    const tag = operation.method === 'GET' ? await tagFor(run.server.alice, request(alice)) : null;
    for (const foreign of tag === null ? [] : [[], fields]) {
      const tags = [tag ?? '', nobodys(random, tag ?? '', run.word, word)] as const;
      await ask(run, operation, request, { foreign, madeUp, words, tags });
    }
    if (operation.method !== 'POST') continue;
    // Requests under a key that alice has used: with one's own things, and with hers.
    for (const foreign of [[], fields]) await ask(run, operation, request, { foreign, madeUp, words, keys });
  }
  for (const request of taking) {
    const { note, other } = twins[1].elsewhere;
    for (const field of ['note', 'other'] as const) {
      await ask(run, operation, request, { foreign: [field], madeUp: { ...madeUp, note, other }, words });
    }
  }
  if (operation.method !== 'GET') await compareTwins(run, operation.name, words);
}

/** Compares what all reads of the twins left behind. */
async function compareReaders(run: Isolation): Promise<void> {
  for (const twin of run.twins) twin.world = twin.readable ?? twin.world;
  await compareTwins(run, 'reading', []);
}

async function compareTwins({ twins, faults }: Isolation, operation: string, words: readonly string[]): Promise<void> {
  const views = await Promise.all(twins.map(({ caller, world }) => ownView(caller, world, words)));
  if (views[0] !== views[1]) faults.push(`${operation} left the twins different: ${difference(...views)}`);
}

/** Gives a writing operation a new world with what it needs; after a read the next operation reuses the world. */
async function giveWorld(twin: Twin, { name, method }: Known, needs: readonly Need[]): Promise<void> {
  if (method === 'GET') twin.readable ??= await makeWorld(twin.caller, 'of-reads', NEEDS);
  twin.world = method === 'GET' && twin.readable ? twin.readable : await makeWorld(twin.caller, `of-${name}`, needs);
}

/** The tag of an answer; null where answers have none. */
async function tagFor(caller: Caller, { url, headers }: Request): Promise<string | null> {
  return (await caller.get(url, headers)).headers.get('etag');
}

interface Swap {
  /** The fields that the twins replace. */
  readonly foreign: readonly Field[];
  /** The values that the second twin uses. */
  readonly madeUp: World;
  /** The words in alice's names and in the made-up names. */
  readonly words: readonly string[];
  /** The idempotency keys of the two. */
  readonly keys?: readonly [hers: string, madeUp: string];
  /** The entity tags in their conditions. */
  readonly tags?: readonly [hers: string, madeUp: string];
}

async function ask(
  run: Isolation,
  { name, method, rule }: Known,
  request: Making,
  { foreign, madeUp, words, keys, tags }: Swap,
): Promise<void> {
  const { random, alice, twins } = run;
  const byKey = rule.who !== 'session' && random.chance(0.5);
  const what = `${name} with ${foreign.join(', ') || 'nothing'}${keys === undefined ? '' : ' and an idempotency key'}${tags === undefined ? '' : ' and the tag of an answer'} of alice’s`;
  const [one, other] = await Promise.all(
    twins.map(async ({ caller, key, world }, index) => {
      const from = index === 0 ? alice : madeUp;
      const asked = { ...world, ...Object.fromEntries(foreign.map((field) => [field, from[field]])) };
      const { url, body, headers } = request(asked);
      const keyed = keys === undefined ? {} : { 'x-idempotency-key': encodeURIComponent(keys[index] ?? '') };
      const tagged = tags === undefined ? {} : { 'if-none-match': tags[index] ?? '' };
      const answer = await (byKey ? key : caller).call(method, url, body, { ...headers, ...keyed, ...tagged });
      const sent = JSON.stringify([decodeURIComponent(url), body, headers]);
      if (index === 0) checkLeaks(run, what, sent, answer);
      return plainly(answer, asked, words);
    }),
  );
  if (one !== other) run.faults.push(`${what} is told from nobody’s: ${difference(one, other)}`);
}

/** Letters that the twins' own names do not have side by side. */
const RARE = [...'bjkqvwxz'];

/**
 * A word for the names of alice's things, and for names that nothing has. All these words have the same length and sort
 * order, and the same likeness to the twins' own names: a tool that finds nothing suggests the caller's names that share
 * enough pairs of letters with the one they gave.
 */
export function nameWord(random: Random): string {
  return `alice${random.shuffled(RARE).join('')}`;
}

function checkLeaks(run: Isolation, what: string, sent: string, { headers, body }: Answer): void {
  const told = JSON.stringify([[...headers], body]);
  for (const value of run.hers) {
    if (told.includes(value) && !sent.includes(value)) run.faults.push(`${what} told ${value}: ${told.slice(0, 300)}`);
  }
}

/** The answers of each GET to alice, by operation. */
async function everythingOf(
  operations: readonly Known[],
  owner: Caller,
  world: World,
): Promise<Record<string, string>> {
  const said: Record<string, string> = {};
  for (const { name, method, rule, request } of operations) {
    // Admins see how many accounts there are.
    if (method !== 'GET' || rule.who === 'anyone' || rule.who === 'admin') continue;
    const { url, headers } = request(world);
    const { status, body } = await owner.get(url, headers);
    said[name] = JSON.stringify([status, body]);
  }
  return said;
}

/** Ids, names and texts that only alice can know. */
function secretsIn(said: Record<string, string>, world: World, word: string, email: string): string[] {
  const ids = Object.values(said).flatMap((text) => text.match(UUID) ?? []);
  const hashes = Object.values(said).flatMap((text) => text.match(/[0-9a-f]{64}/g) ?? []);
  return [...new Set([...ids, ...hashes, ...Object.values(world).filter((value) => value !== ''), word, email])];
}

/** Reads the account of a twin, with names instead of ids. */
async function ownView(caller: Caller, world: World, words: readonly string[]): Promise<string> {
  const headers = { 'x-vault-id': world.vault };
  const asked = [
    ...['/vaults', '/vaults?deleted=true', '/api-keys', '/connections', '/logs'].map((url) => caller.get(url)),
    ...['/folders', '/tags', '/types', '/vault/tree', '/sync/changes?fields=all'].map((url) =>
      caller.get(url, headers),
    ),
    ...[world.note, world.other].map((id) => caller.get(`/notes/by-id/${id}`, headers)),
  ];
  const answers = await Promise.all(asked);
  const text = JSON.stringify(answers.map(({ status, body }) => [status, body]));
  return normal(text, world, words);
}
