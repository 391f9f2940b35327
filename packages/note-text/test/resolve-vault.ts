import assert from 'node:assert/strict';
import { deriveNote } from '../src/derive.ts';
import type { LinkForm } from '../src/links/parsed-link.ts';
import { aliasKey, attachmentNameKey, type Candidate, lookupOf, noteNameKey, resolve } from '../src/links/resolve.ts';
import { fileName } from '../src/paths.ts';
import { scan } from '../src/scan.ts';

const extensions = new Set(['png', 'svg', 'jpg', 'jpeg', 'ogg', 'json', 'csv', 'pdf', 'mp4']);

/** A link as written in a note, and the file that a click on it opens. */
export type Spot = readonly [source: string, form: LinkForm, target: string, path: string | null];

export interface LinkedVault {
  readonly files: readonly Candidate[];
  readonly texts: ReadonlyMap<string, string>;
}

export function linkedVault(notes: ReadonlyMap<string, string>, attachments: Iterable<string>): LinkedVault {
  const texts = new Map([...notes].map(([path, text]) => [path.normalize('NFC'), text]));
  const files: Candidate[] = [...texts].map(([path, text]) => {
    return { kind: 'note', id: path, path, aliases: deriveNote(path, text).aliases };
  });
  for (const path of attachments) files.push({ kind: 'attachment', id: path, path, aliases: [] });
  return { files, texts };
}

/**
 * Fails unless every link resolves the same by keys as among all files; returns how many links there are and how many
 * resolve.
 */
export function assertSameByKeys({ files, texts }: LinkedVault): { links: number; found: number } {
  const byKey = new Map<string, Candidate[]>();
  for (const file of files) {
    const { kind, path, aliases } = file;
    const keys = kind === 'note' ? [noteNameKey(path), ...aliases.map(aliasKey)] : [attachmentNameKey(path)];
    for (const key of new Set(keys)) byKey.set(key, [...(byKey.get(key) ?? []), file]);
  }
  let links = 0;
  let found = 0;
  for (const [source, text] of texts) {
    for (const link of scan(text).links) {
      const lookup = lookupOf(link.target, link.form, extensions);
      if (lookup.kind === 'self') continue;
      const candidates = [...new Set(lookup.stems.flatMap((stem) => byKey.get(stem) ?? []))];
      const hit = resolve(link, source, candidates, extensions);
      assert.equal(hit, resolve(link, source, files, extensions), `${source}: ${link.target}`);
      if (!lookup.attachmentsFirst) links++;
      if (!lookup.attachmentsFirst && hit !== null) found++;
      // Where the name alone decides, the file found must have that name.
      const keys =
        hit === null ? [] : [noteNameKey(hit.path), attachmentNameKey(hit.path), ...hit.aliases.map(aliasKey)];
      if (hit !== null) assert.ok(lookup.stems.some((stem) => keys.includes(stem)));
    }
  }
  return { links, found };
}

export function assertSpots({ files, texts }: LinkedVault, spots: readonly Spot[]): void {
  for (const [source, form, target, path] of spots) {
    assert.ok(texts.has(source), source);
    const hit = resolve({ target, form }, source, files, extensions);
    assert.equal(hit?.path ?? null, path, `${source}: ${fileName(target)}`);
  }
}
