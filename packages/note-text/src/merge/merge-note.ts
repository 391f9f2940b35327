import { applyEdits, type Edit, minimalDiff } from '../diff/diff.ts';
import type { Texts } from '../diff/runs.ts';
import type { Merge } from '../diff/three-way.ts';
import { type Fence, findFrontmatter } from '../frontmatter/fence.ts';
import { areProperties, mergeProperties } from './merge-properties.ts';

/** A stored value that the client's replaced: of a property, or in a line of the merged text, counted from 1. */
export type GaveWay = { readonly stored: string; readonly isLink: boolean } & (
  | { readonly property: string }
  | { readonly line: number }
);

/** The edits that bring a client's changes into a stored text, and the values that give way to the client's. */
export interface NoteMerge {
  readonly edits: Edit[];
  readonly gaveWay: GaveWay[];
}

/**
 * Merges a client's text of a note with the stored one: the properties of the frontmatter by their keys, and the text
 * below it by its changes.
 */
export function mergeNote(texts: Texts, mergeBody: (texts: Texts) => Merge): NoteMerge {
  const { base, stored, client } = texts;
  if (client === stored || client === base) return { edits: [], gaveWay: [] };
  const [ofBase, ofStored, ofClient] = [findFrontmatter(base), findFrontmatter(stored), findFrontmatter(client)];
  const kinds = [ofBase.kind, ofStored.kind, ofClient.kind];
  const yamls = [yamlOf(base, ofBase), yamlOf(stored, ofStored), yamlOf(client, ofClient)] as const;
  if (kinds.includes('unterminated') || !areProperties(yamls)) return withLines(stored, mergeBody(texts), []);
  const starts = { base: ofBase.bodyStart, stored: ofStored.bodyStart, client: ofClient.bodyStart };
  const merged = mergeProperties(...yamls, texts.keepsTargets === true);
  const head = headWith(merged.yaml, [stored, ofStored], [client, ofClient]);
  const body = mergeBody(bodyOf(texts, starts));
  const edits = [
    ...minimalDiff(stored.slice(0, starts.stored), head),
    ...body.edits.map((edit) => ({ ...edit, at: edit.at + starts.stored })),
  ];
  const replaced = body.replaced.map((each) => ({ ...each, at: each.at + starts.stored }));
  return withLines(stored, { edits, replaced }, merged.gaveWay);
}

function yamlOf(text: string, fence: Fence): string | null {
  return fence.kind === 'closed' ? text.slice(fence.yamlStart, fence.yamlEnd) : null;
}

/**
 * Returns the frontmatter around some YAML, with the lines of the stored text or, where it has none, of the client's.
 */
function headWith(yaml: string | null, ...sides: readonly [text: string, fence: Fence][]): string {
  if (yaml === null) return '';
  for (const [text, fence] of sides) {
    if (fence.kind !== 'closed') continue;
    const end = text.slice(fence.yamlEnd, fence.bodyStart);
    return text.slice(0, fence.yamlStart) + yaml + (end.endsWith('\n') ? end : `${end}\n`);
  }
  return '';
}

/** Returns the texts below the frontmatter. Letters that one side moved across its end count as written anew. */
function bodyOf(
  texts: Texts,
  starts: { readonly base: number; readonly stored: number; readonly client: number },
): Texts {
  const runs = texts.runs.flatMap(({ baseStart, length, nowStart, alive }) => {
    const cut = Math.max(0, starts.base - baseStart);
    if (cut >= length) return [];
    const now = alive ? nowStart + cut : nowStart;
    const isBelow = alive && now >= starts.stored;
    const place = Math.max(0, now - starts.stored);
    return [{ baseStart: baseStart + cut - starts.base, length: length - cut, nowStart: place, alive: isBelow }];
  });
  const insertions = texts.insertions.flatMap((insertion) => {
    const [from, to] = [Math.max(insertion.from, starts.stored), insertion.to];
    return from < to ? [{ ...insertion, from: from - starts.stored, to: to - starts.stored }] : [];
  });
  return {
    ...texts,
    base: texts.base.slice(starts.base),
    stored: texts.stored.slice(starts.stored),
    client: texts.client.slice(starts.client),
    runs,
    insertions,
  };
}

/** Names the lines of the merged text in which a value gave way. */
function withLines(stored: string, { edits, replaced }: Merge, properties: readonly GaveWay[]): NoteMerge {
  const text = replaced.length === 0 ? '' : applyEdits(stored, edits);
  let [next, shift, line, at] = [0, 0, 1, 0];
  const lines = [...replaced]
    .sort((a, b) => a.at - b.at)
    .map((each) => {
      for (; next < edits.length && (edits[next] as Edit).at < each.at; next++) {
        const { remove, insert } = edits[next] as Edit;
        shift += insert.length - remove;
      }
      for (; at < each.at + shift; at++) if (text.charAt(at) === '\n') line++;
      return { line, stored: each.stored, isLink: each.kind === 'target' };
    });
  return { edits, gaveWay: [...properties, ...lines] };
}
