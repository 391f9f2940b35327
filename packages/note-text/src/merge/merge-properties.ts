/** Merges the YAML of two frontmatters key by key, as written: what nobody changed stays byte for byte. */

import { applyEdits } from '../diff/diff.ts';
import { linesOf } from '../diff/lines.ts';
import { mergeByDifferences } from './by-differences.ts';
import type { GaveWay } from './merge-note.ts';
import { colonOf, itemsOf, mergeLists } from './property-lists.ts';

/** The lines of each key, in order. Lines before the first key have the key ''. */
type Entries = ReadonlyMap<string, string>;

/** Maximum length of YAML that is merged by key, as wherever properties are read. */
const maxYaml = 64 * 1024;
/** Maximum length of a value that an answer names; a longer one is cut. */
const maxNamed = 1000;

/**
 * @param keepsTargets whether the stored value of a property that links stands.
 * @returns the merged YAML; null when no property is left and one side removed the frontmatter.
 */
export function mergeProperties(
  base: string | null,
  stored: string | null,
  client: string | null,
  keepsTargets: boolean,
): { yaml: string | null; gaveWay: GaveWay[] } {
  const [before, theirs, ours] = [entriesOf(base ?? ''), entriesOf(stored ?? ''), entriesOf(client ?? '')];
  const gaveWay: GaveWay[] = [];
  const merged = new Map<string, string>();
  for (const key of orderOf(theirs, ours)) {
    const { entry, replaced } = mergeEntry(before.get(key), theirs.get(key), ours.get(key), keepsTargets);
    if (entry !== undefined) merged.set(key, entry);
    if (replaced === undefined) continue;
    const property = key.replace(/\0.*/, '');
    gaveWay.push({ property, stored: replaced.slice(0, maxNamed).toWellFormed(), isLink: isLink(replaced) });
  }
  if (merged.size === 0 && (stored === null || client === null)) return { yaml: null, gaveWay };
  return { yaml: [...merged.values()].map((text) => (text.endsWith('\n') ? text : `${text}\n`)).join(''), gaveWay };
}

/** Returns the keys of the stored side, and each of the client's behind the one before which it has. */
function orderOf(stored: Entries, client: Entries): string[] {
  const behind = new Map<string, string[]>([['', []]]);
  let last = '';
  for (const key of client.keys()) {
    if (stored.has(key)) last = key;
    else if (behind.has(last)) behind.get(last)?.push(key);
    else behind.set(last, [key]);
  }
  const keys = stored.has('') ? [...stored.keys()] : ['', ...stored.keys()];
  return keys.flatMap((key) => [key, ...(behind.get(key) ?? [])]);
}

/** Returns the entry of a key in the merged text, and the stored value that gives way. */
function mergeEntry(
  base: string | undefined,
  stored: string | undefined,
  client: string | undefined,
  keepsTargets: boolean,
): { entry: string | undefined; replaced?: string } {
  if (client === base || stored === client) return { entry: stored };
  // A key that one side changed and the other removed stays.
  if (stored === base || stored === undefined) return { entry: client };
  if (client === undefined) return { entry: stored };
  const [theirs, ours] = [itemsOf(stored), itemsOf(client)];
  if (theirs !== null && ours !== null) return { entry: mergeLists(base ?? null, stored, theirs, ours) };
  const entry = mergeLines(base, stored, client);
  if (entry !== null) return { entry };
  const value = textBehindColon(stored);
  return keepsTargets && isLink(value) ? { entry: stored } : { entry: client, replaced: value };
}

function isLink(value: string): boolean {
  return value.includes('[[');
}

/** Returns the merged text of a property with several lines; null if it has one, or the sides differ in its first. */
function mergeLines(base: string | undefined, stored: string, client: string): string | null {
  const [first] = stored.split('\n', 1) as [string];
  if (!client.startsWith(`${first}\n`) || stored.length === first.length + 1 || first.length + 1 === client.length)
    return null;
  const below = (text: string | undefined) => (text?.startsWith(`${first}\n`) ? text.slice(first.length + 1) : '');
  const texts = { base: below(base), stored: below(stored), client: below(client) };
  const merged = applyEdits(texts.stored, mergeByDifferences(texts).edits);
  const isBlock = /[|>][-+\d]*\s*$/.test(first);
  const doublesKey = !isBlock && hasKeyTwice(merged) && ![stored, client].some(hasKeyTwice);
  return entriesOf(`${first}\n${merged}`).size === 1 && !doublesKey ? `${first}\n${merged}` : null;
}

/** Returns whether a mapping among some lines has a key twice. */
function hasKeyTwice(lines: string): boolean {
  /** The keys of the mappings around a line, by their indentation. */
  const open = new Map<number, Set<string>>();
  for (const line of lines.split('\n')) {
    const text = line.trim();
    if (text === '') continue;
    const indent = line.length - line.trimStart().length;
    for (const deeper of open.keys()) if (deeper > indent) open.delete(deeper);
    const key = keyOf(text);
    if (key === null) continue;
    const keys = open.get(indent) ?? new Set();
    if (keys.has(key)) return true;
    open.set(indent, keys.add(key));
  }
  return false;
}

/** Returns the text after the colon. */
function textBehindColon(entry: string): string {
  return entry.slice(colonOf(entry) + 1).trim();
}

/** Returns whether the YAML of some texts has keys, and nothing but comments before the first one. */
export function areProperties(yamls: readonly (string | null)[]): boolean {
  if (yamls.some((yaml) => (yaml?.length ?? 0) > maxYaml)) return false;
  const all = yamls.map((yaml) => entriesOf(yaml ?? ''));
  const isComment = (line: string) => /^\s*(?:#|$)/.test(line);
  return (
    all.some((entries) => entries.size > Number(entries.has(''))) &&
    all.every((entries) => (entries.get('') ?? '').split('\n').every(isComment))
  );
}

/** Splits YAML at its keys. A repeated key gets a number appended. */
function entriesOf(yaml: string): Entries {
  const entries = new Map<string, string>();
  let key = '';
  for (const line of linesOf(yaml)) {
    const found = keyOf(line);
    if (found !== null) {
      key = found;
      for (let count = 2; entries.has(key); count++) key = `${found}\0${count}`;
    }
    if (line !== '') entries.set(key, (entries.get(key) ?? '') + line);
  }
  return entries;
}

/**
 * Returns the key with which a line begins; null for one that goes on with the value before, for a comment and a blank
 * one.
 */
function keyOf(line: string): string | null {
  if (/^(?:[\s#[{]|-(?:\s|$))/.test(line)) return null;
  const colon = colonOf(line);
  if (colon <= 0) return null;
  const key = line.slice(0, colon).trimEnd();
  return /^(["']).*\1$/.test(key) ? key.slice(1, -1) : key;
}
