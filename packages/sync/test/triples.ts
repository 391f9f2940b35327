import { isDeepStrictEqual } from 'node:util';
import { ancestorsOf, fileName, folderOf, foldPath, isInside, joinPath } from '@notevault/note-text/paths.ts';
import { Random } from '../../../server/test/kit/random.ts';
import { type Plan, plan, planOfAll } from '../src/plan/planner.ts';
import { atOnce } from '../src/plan/steps.ts';
import { kindOf } from '../src/plan/trees.ts';
import { Model } from './model.ts';

// Modelled on Dropbox's CanopyCheck: a random tree that both sides agree on is changed at random on each side; then
// plans are made and carried out in random order until nothing is left to do.

const ROUNDS_MAX = 200;
// Some have names of files, so that a file can collide with a folder of the other side.
const FOLDERS = ['a', 'b', 'c', 'A', 'p.png', 'x.md'];
const FILES = ['x.md', 'y.md', 'z.md', 'p.png', 'q.png', 'X.md'];

/** Returns one failure message per failed seed. */
export function runTriples(first: number, count: number): string[] {
  const failures: string[] = [];
  for (let seed = first; seed < first + count; seed++) {
    try {
      const failure = runTriple(seed);
      if (failure !== null) failures.push(`seed ${seed}: ${failure}`);
    } catch (error) {
      failures.push(`seed ${seed}: ${error instanceof Error ? error.message : error}`);
    }
    if (failures.length >= 5) break;
  }
  return failures;
}

export function runTriple(seed: number, log: (line: string) => void = () => undefined): string | null {
  const random = new Random(seed);
  const model = startModel(random);
  const must = perturb(model, random);
  log(`start ${JSON.stringify(model.trees, null, 1)}`);
  const options = { label: 'conflict here 2026-11-22 14-05-09', direction: 'both', canStore: () => true } as const;
  let last: Plan;
  for (let round = 1; ; round++) {
    last = plan(model.trees, options);
    if (!isSamePlan(last, atOnce(planOfAll(model.trees, options))))
      return 'the plan of what differs is not that of all';
    if (last.operations.length === 0) break;
    if (round > ROUNDS_MAX) return `no end after ${ROUNDS_MAX} rounds: ${JSON.stringify(last.operations)}`;
    for (const operation of shuffled(last.operations, random)) {
      log(JSON.stringify(operation));
      model.apply(operation);
    }
  }
  return difference(model, last) ?? lossOf(model, must);
}

/**
 * Returns whether two plans do the same. Of a folder that one side spells in two ways, either spelling is agreed on.
 */
function isSamePlan(a: Plan, b: Plan): boolean {
  const folded = ({ operations, ...rest }: Plan) => ({
    ...rest,
    operations: operations.map((one) => (one.type === 'adoptFolder' ? { ...one, path: foldPath(one.path) } : one)),
  });
  return isDeepStrictEqual(folded(a), folded(b));
}

function shuffled<Item>(items: readonly Item[], random: Random): Item[] {
  const left = [...items];
  const drawn: Item[] = [];
  while (left.length > 0) drawn.push(...left.splice(random.below(left.length), 1));
  return drawn;
}

function randomPath(random: Random, folder = randomFolder(random)): string {
  return joinPath(folder, random.pick(FILES));
}

function randomFolder(random: Random): string {
  return Array.from({ length: random.below(3) }, () => random.pick(FOLDERS)).join('/');
}

/** Returns a model in which both sides and the agreed state are equal. */
function startModel(random: Random): Model {
  const model = new Model(random.chance(0.5));
  for (let count = random.below(7); count > 0; count--) {
    const path = spelled([...model.local.keys()], randomPath(random));
    const content = model.next(kindOf(path) === 'note' ? 'n' : 'bytes');
    if (!attempt(() => model.addRemote(path, content))) continue;
    model.addLocal(path, content);
    const id = [...model.remote].find(([, file]) => file.path === path)?.[0] ?? '';
    const fileId = model.local.get(path)?.fileId ?? null;
    const version = kindOf(path) === 'note' ? 1 : null;
    model.synced.set(id, { id, path, hash: content, version, fileId, pushed: null });
  }
  for (const folder of model.localFolders) model.syncedFolders.add(folder);
  return model;
}

/** Returns the path in the spelling of the existing folders. */
function spelled(paths: Iterable<string>, path: string): string {
  const folders = new Map([...paths].flatMap(ancestorsOf).map((folder) => [foldPath(folder), folder]));
  let folder = '';
  for (const name of folderOf(path).split('/').filter(Boolean)) {
    const next = joinPath(folder, name);
    folder = folders.get(foldPath(next)) ?? next;
  }
  return joinPath(folder, fileName(path));
}

/** Tries a change that the model may refuse; it refuses before it changes anything. */
function attempt(act: () => void): boolean {
  try {
    act();
    return true;
  } catch {
    return false;
  }
}

/** Changes both sides; returns the content that must exist in the end. */
function perturb(model: Model, random: Random): Set<string> {
  const before = new Map([...model.synced.values()].map(({ id, hash, path }) => [id, { hash, path }]));
  for (let count = random.below(6); count > 0; count--) changeLocal(model, random);
  for (let count = random.below(6); count > 0; count--) changeRemote(model, random);
  const must = new Set<string>();
  const keep = (content: string) => {
    for (const letter of content.split(' ')) must.add(letter);
  };
  for (const { content } of model.local.values()) keep(content);
  for (const { content } of model.remote.values()) keep(content);
  for (const [id, { hash, path }] of before) {
    const remote = model.remote.get(id);
    const isLocal = [...model.local.values()].some(({ content }) => content.split(' ').includes(hash));
    const isGone = remote === undefined || !isLocal;
    const isReplaced = kindOf(path) === 'attachment' && (remote?.content !== hash || !isLocal);
    if (isGone || isReplaced) must.delete(hash);
  }
  return must;
}

function changeLocal(model: Model, random: Random): void {
  const paths = [...model.local.keys()];
  const act = random.below(7);
  if (act === 0 || paths.length === 0) {
    const path = spelled([...paths, ...[...model.localFolders].map((folder) => `${folder}/x`)], randomPath(random));
    attempt(() => model.addLocal(path, model.next(kindOf(path) === 'note' ? 'n' : 'bytes')));
    return;
  }
  const path = random.pick(paths);
  const file = model.local.get(path);
  if (file === undefined) return;
  if (act === 1) file.content = edited(model, path, file.content);
  else if (act === 2) model.local.delete(path);
  else if (act === 3) model.localFolders.add(random.pick(FOLDERS));
  else if (act === 4) renameFolder(model, random);
  else if (act === 5) swapLocal(model, path, random.pick(paths));
  else moveLocal(model, random, path);
  pruneLocalFolders(model, random);
}

function moveLocal(model: Model, random: Random, path: string): void {
  const names = FILES.filter((name) => kindOf(name) === kindOf(path));
  const to = spelled([...model.local.keys()], joinPath(randomFolder(random), random.pick(names)));
  const file = model.local.get(path);
  if (file === undefined) return;
  model.local.delete(path);
  if (attempt(() => model.addLocal(to, file.content))) model.local.set(to, file);
  else model.local.set(path, file);
}

function swapLocal(model: Model, a: string, b: string): void {
  const [one, other] = [model.local.get(a), model.local.get(b)];
  if (one === undefined || other === undefined || kindOf(a) !== kindOf(b)) return;
  model.local.set(a, other);
  model.local.set(b, one);
}

function renameFolder(model: Model, random: Random): void {
  const folders = [...model.localFolders];
  if (folders.length === 0) return;
  const from = random.pick(folders);
  const to = spelled([...model.local.keys()], `${joinPath(randomFolder(random), random.pick(FOLDERS))}/x`).slice(0, -2);
  const collides = [...model.local.keys(), ...folders].some(
    (path) =>
      foldPath(path) === foldPath(to) || isInside(to, path) || (isInside(path, to) === true && model.local.has(path)),
  );
  if (collides || isInside(from, to) || isInside(to, from)) return;
  model.moveLocalFolder(from, to);
}

/** Removes some of the empty folders, as people do. */
function pruneLocalFolders(model: Model, random: Random): void {
  for (const folder of [...model.localFolders].sort((a, b) => b.length - a.length)) {
    const holds = [...model.local.keys(), ...model.localFolders].some((path) => isInside(folder, path));
    if (!holds && random.chance(0.3)) model.localFolders.delete(folder);
  }
}

function changeRemote(model: Model, random: Random): void {
  const ids = [...model.remote.keys()];
  const act = random.below(6);
  const paths = [...model.remote.values()].map(({ path }) => path);
  if (act === 0 || ids.length === 0) {
    const path = spelled(paths, randomPath(random));
    attempt(() => model.addRemote(path, model.next(kindOf(path) === 'note' ? 'n' : 'bytes')));
    return;
  }
  const id = random.pick(ids);
  const file = model.remote.get(id);
  if (file === undefined) return;
  if (act === 1) {
    file.content = edited(model, file.path, file.content);
    file.version += 1;
  } else if (act === 2) model.remote.delete(id);
  else if (act === 3) {
    const folder = random.pick(FOLDERS);
    if (!paths.some((path) => foldPath(path) === foldPath(folder))) model.remoteFolders.add(folder);
  } else {
    const names = FILES.filter((name) => kindOf(name) === kindOf(file.path));
    const to = spelled(paths, joinPath(randomFolder(random), random.pick(names)));
    attempt(() => model.moveRemote(id, to));
  }
}

function edited(model: Model, path: string, content: string): string {
  return kindOf(path) === 'note' ? [...content.split(' '), model.next('n')].sort().join(' ') : model.next('bytes');
}

/** Returns how the sides differ in the end, apart from reported problems; null when they are equal. */
function difference(model: Model, { problems }: Plan): string | null {
  const apart = new Set(problems.map(({ path }) => foldPath(path)));
  const shown = (files: Iterable<readonly [string, string]>) =>
    [...files]
      .filter(([path]) => !apart.has(foldPath(path)))
      // The server has one spelling of a folder; a disk may have two.
      .map(([path, content]) => `${joinPath(foldPath(folderOf(path)), fileName(path))} = ${content}`)
      .sort()
      .join('\n');
  const local = shown([...model.local].map(([path, { content }]) => [path, content]));
  const remote = shown([...model.remote.values()].map(({ path, content }) => [path, content]));
  const synced = shown([...model.synced.values()].map(({ path, hash }) => [path, hash]));
  if (local !== remote) return `the disk has\n${local}\nand the server\n${remote}`;
  if (synced !== remote) return `agreed on is\n${synced}\nand the server has\n${remote}`;
  const foldersOf = (paths: Iterable<string>, folders: Iterable<string>) =>
    [...new Set([...[...paths, ...folders].flatMap(ancestorsOf), ...folders].map(foldPath))].sort().join(' ');
  const localFolders = foldersOf(model.local.keys(), model.localFolders);
  const remoteFolders = foldersOf(
    [...model.remote.values()].map(({ path }) => path),
    model.remoteFolders,
  );
  if (localFolders !== remoteFolders) return `folders of the disk: ${localFolders}; of the server: ${remoteFolders}`;
  return null;
}

function lossOf(model: Model, must: ReadonlySet<string>): string | null {
  const there = new Set([...model.remote.values()].flatMap(({ content }) => content.split(' ')));
  const lost = [...must].filter((letter) => !there.has(letter));
  return lost.length === 0 ? null : `lost: ${lost.join(', ')}`;
}
