/**
 * Decides which note or attachment a link means, among candidates fetched by name.
 *
 * A store that cannot read its paths looks names up by key. A note is found under `noteNameKey(path)` and under
 * `aliasKey` of each of its aliases, an attachment under `attachmentNameKey(path)`; `lookupOf` returns the keys that a
 * link needs. All keys share one space, so one list of keys serves all three look-ups.
 */
import { compareCodePoints } from '../names/order.ts';
import { depthOf, fileName, fileStem, folderOf, foldPath } from '../paths.ts';
import { isUrlForm, type LinkForm } from './parsed-link.ts';

/** A link as the scanner gives it: `target` decoded and without its anchor. */
export interface Link {
  readonly target: string;
  readonly form: LinkForm;
}

/** A live note or attachment that a link might mean; attachments have no aliases. */
export interface Candidate {
  readonly kind: 'note' | 'attachment';
  readonly id: string;
  readonly path: string;
  readonly aliases: readonly string[];
}

/** Blind index lookup for a link: none for a link into its own note, otherwise candidates under any of the keys. */
export type Lookup =
  | { readonly kind: 'self' }
  | { readonly kind: 'names'; readonly stems: string[]; readonly attachmentsFirst: boolean };

/** Returns the key of a note: its file name without `.md`, folded. */
export function noteNameKey(path: string): string {
  return foldPath(fileStem(path));
}

/** Returns the key of an alias: the alias without white space around it, folded. */
export function aliasKey(alias: string): string {
  return foldPath(alias.trim());
}

/** Returns the key of an attachment: its whole file name, folded. */
export function attachmentNameKey(path: string): string {
  return foldPath(fileName(path));
}

interface Target {
  /** Path segments without empty ones; `.` and `..` are kept. */
  readonly segments: readonly string[];
  /** Whether it has a slash: a path, not a bare name. */
  readonly isPath: boolean;
  /** Whether it begins with `./` or `../`. */
  readonly isRelative: boolean;
}

/** Null for the empty target, which means the note itself. */
function parseTarget(text: string): Target | null {
  const target = text.trim().replaceAll('\\', '/');
  if (target === '') return null;
  const segments = target.split('/').filter((segment) => segment !== '');
  const [first] = segments;
  return { segments, isPath: target.includes('/'), isRelative: first === '.' || first === '..' };
}

/** Returns the last segment; null where the target names a folder (`..`) or is empty. */
function nameIn(target: Target): string | null {
  const name = target.segments.at(-1);
  return name === undefined || name === '.' || name === '..' ? null : name;
}

function isAttachmentName(name: string, attachmentExtensions: ReadonlySet<string>): boolean {
  const dot = name.lastIndexOf('.');
  return dot !== -1 && attachmentExtensions.has(name.slice(dot + 1).toLowerCase());
}

/**
 * Returns the folded names under which candidates for a link must be fetched, the more likely one first: at most two,
 * because `[[a.md]]` means `a.md` but may mean `a.md.md`. None when the target cannot name a file.
 *
 * @param attachmentExtensions allowed extensions, in lower case, without the dot
 */
export function lookupOf(target: string, _form: LinkForm, attachmentExtensions: ReadonlySet<string>): Lookup {
  const parsed = parseTarget(target);
  if (parsed === null) return { kind: 'self' };
  const name = nameIn(parsed);
  if (name === null) return { kind: 'names', stems: [], attachmentsFirst: false };
  const stems = [...new Set([noteNameKey(name), foldPath(name)])];
  return { kind: 'names', stems, attachmentsFirst: isAttachmentName(name, attachmentExtensions) };
}

/**
 * Returns the folded path that the segments lead to from a folder; null when they climb above the root or end at it.
 */
function walk(folder: string, segments: readonly string[]): string | null {
  const path = folder === '' ? [] : folder.split('/');
  for (const segment of segments) {
    if (segment === '.') continue;
    if (segment !== '..') path.push(segment);
    else if (path.pop() === undefined) return null;
  }
  return path.length === 0 ? null : foldPath(path.join('/'));
}

/** Rule by which a target may match. The first rule with a match decides. */
type LookupWay =
  | { readonly by: 'whole'; readonly path: string }
  | { readonly by: 'end'; readonly path: string }
  | { readonly by: 'alias'; readonly name: string };

function lookupWaysOf(target: Target, form: LinkForm, sourceFolder: string): LookupWay[] {
  const lookupWays: LookupWay[] = [];
  if (nameIn(target) === null) return lookupWays;
  const here = walk(sourceFolder, target.segments);
  if (here !== null && (target.isRelative || isUrlForm(form))) {
    lookupWays.push({ by: 'whole', path: here });
  }
  const fromRoot = walk('', target.segments);
  if (target.isRelative || fromRoot === null) return lookupWays;
  if (target.isPath) lookupWays.push({ by: 'whole', path: fromRoot }, { by: 'end', path: fromRoot });
  else lookupWays.push({ by: 'end', path: fromRoot }, { by: 'alias', name: fromRoot });
  return lookupWays;
}

interface FoldedCandidate {
  readonly candidate: Candidate;
  readonly path: string;
  /** The paths that match it: its own, and for a note also the one without `.md`. */
  readonly names: readonly string[];
}

/** Folding costs more than comparing, and a candidate is compared once for every link that names it. */
const foldedCache = new WeakMap<Candidate, FoldedCandidate>();

function fold(candidate: Candidate): FoldedCandidate {
  let folded = foldedCache.get(candidate);
  if (folded === undefined) {
    folded = foldCandidate(candidate);
    foldedCache.set(candidate, folded);
  }
  return folded;
}

function foldCandidate(candidate: Candidate): FoldedCandidate {
  const path = foldPath(candidate.path);
  const isNote = candidate.kind === 'note' && path.endsWith('.md');
  return { candidate, path, names: isNote ? [path, path.slice(0, -3)] : [path] };
}

/**
 * Returns how a candidate matches under one rule: 0 as written, 1 with `.md` added or removed, null if it does not
 * match.
 */
function fit({ candidate, names }: FoldedCandidate, way: LookupWay): number | null {
  if (way.by === 'alias') {
    const aliases = candidate.aliases.map(aliasKey);
    if (aliases.includes(way.name)) return 0;
    return aliases.includes(noteNameKey(way.name)) ? 1 : null;
  }
  const matches = (name: string) => name === way.path || (way.by === 'end' && name.endsWith(`/${way.path}`));
  const at = names.findIndex(matches);
  return at === -1 ? null : at;
}

/** Returns whether what `resolve` returns depends on `sourcePath`: opening that path may cost more than all else. */
export function dependsOnSource({ target, form }: Link, candidates: readonly Candidate[]): boolean {
  return candidates.length > 1 || isUrlForm(form) || (parseTarget(target)?.isRelative ?? true);
}

/** Returns the number of leading folders that two folded paths share. */
function sharedFolders(one: string, other: string): number {
  const ones = folderOf(one).split('/');
  const others = folderOf(other).split('/');
  let shared = 0;
  while (shared < ones.length && ones[shared] !== '' && ones[shared] === others[shared]) shared++;
  return shared;
}

/** Orders candidates by nearness to the source, nearest first. */
function compareNearness(source: string, one: FoldedCandidate, other: FoldedCandidate): number {
  return (
    sharedFolders(source, other.path) - sharedFolders(source, one.path) ||
    depthOf(one.path) - depthOf(other.path) ||
    compareCodePoints(one.candidate.path, other.candidate.path) ||
    compareCodePoints(one.candidate.id, other.candidate.id)
  );
}

/** Returns the best candidate of one kind: the rule decides first, then the fit, then nearness. */
function bestOf(
  candidates: readonly FoldedCandidate[],
  lookupWays: readonly LookupWay[],
  source: string,
): Candidate | null {
  for (const way of lookupWays) {
    let best: FoldedCandidate | null = null;
    let bestFit = Number.POSITIVE_INFINITY;
    for (const candidate of candidates) {
      const found = fit(candidate, way);
      if (found === null || found > bestFit) continue;
      if (best === null || found < bestFit || compareNearness(source, candidate, best) < 0) best = candidate;
      bestFit = found;
    }
    if (best !== null) return best.candidate;
  }
  return null;
}

/**
 * Returns the candidate that a link in the note at `sourcePath` means, or null for a dangling link. The rules, in
 * order: a path from the root, then the end of a path; `./`, `../` and URLs look in the note's folder first;
 * a bare name matches a file name, then an alias. Of several matches the one wins that shares most leading folders with
 * the source, then the shallowest, then the first by code points.
 *
 * The order of `candidates` does not matter, and those that do not match are ignored. For a link into its own note,
 * pass that note as a candidate.
 *
 * @param attachmentExtensions as for `lookupOf`; without it, the extension of a stored attachment counts as allowed
 */
export function resolve(
  link: Link,
  sourcePath: string,
  candidates: readonly Candidate[],
  attachmentExtensions?: ReadonlySet<string>,
): Candidate | null {
  const target = parseTarget(link.target);
  if (target === null) return candidates.find(({ kind, path }) => kind === 'note' && path === sourcePath) ?? null;
  const lookupWays = lookupWaysOf(target, link.form, folderOf(sourcePath));
  const source = foldPath(sourcePath);
  const folded = candidates.map(fold);
  const notes = folded.filter(({ candidate }) => candidate.kind === 'note');
  const attachments = folded.filter(({ candidate }) => candidate.kind === 'attachment');
  const name = nameIn(target) ?? '';
  const attachmentsFirst = attachmentExtensions === undefined || isAttachmentName(name, attachmentExtensions);
  const [first, second] = attachmentsFirst ? [attachments, notes] : [notes, attachments];
  return bestOf(first, lookupWays, source) ?? bestOf(second, lookupWays, source);
}
