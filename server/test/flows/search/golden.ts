import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { TestContext } from 'node:test';
import type { Database } from '../../../src/ports/database/database.ts';
import type { Json } from '../../kit/notes.ts';
import { startServer } from '../../kit/server.ts';

/** A query, the notes that answer it, and among how many of the first results one of them must be. */
interface Golden {
  readonly vault: string;
  readonly query: string;
  readonly notes: readonly string[];
  readonly within: number;
}

export interface GoldenRun {
  readonly queries: URL;
  readonly notesOf: (vault: string) => ReadonlyMap<string, string>;
  /** The minimum number of queries that must succeed, by mode, as in docs/search.md. A lower result is a regression. */
  readonly least: Readonly<Record<string, number>>;
}

/** Runs the golden queries over HTTP and checks how often the expected note is first or among the first. */
export async function checkGolden(
  t: TestContext,
  open: () => Promise<Database>,
  { queries, notesOf, least }: GoldenRun,
): Promise<void> {
  const golden: Golden[] = JSON.parse(readFileSync(queries, 'utf8'));
  const documented = readFileSync(new URL('../../../../docs/search.md', import.meta.url), 'utf8').replace(/ +/g, ' ');
  await using server = await startServer({ open });
  const headers = new Map<string, Record<string, string>>();
  for (const name of new Set(golden.map(({ vault }) => vault))) {
    const { vault } = (await server.alice.post('/vaults', { name })).body;
    const chosen = { 'x-vault-id': vault.id as string };
    headers.set(name, chosen);
    const notes = [...notesOf(name)].map(([path, content]) => ({ path, mtime: 1, content }));
    for (let at = 0; at < notes.length; at += 100) {
      const sent = { ...chosen, 'x-idempotency-key': `golden-${at}` };
      const { status } = await server.alice.post('/notes/batch', { notes: notes.slice(at, at + 100) }, sent);
      assert.equal(status, 200);
    }
  }
  await server.app.search.embed(new AbortController().signal);
  for (const [mode, enough] of Object.entries(least)) {
    const missed: string[] = [];
    for (const { vault, query, notes, within } of golden) {
      const { body } = await server.alice.post('/search', { query, mode, limit: within }, headers.get(vault) ?? {});
      if (!body.results.some(({ path }: Json) => notes.includes(path))) missed.push(`${vault}: ${query}`);
    }
    const held = golden.length - missed.length;
    t.diagnostic(`${mode}: ${held} of ${golden.length} hold; missed: ${missed.join(' | ')}`);
    assert.ok(held >= enough, `${mode}: only ${held} of ${golden.length} hold; missed: ${missed.join(' | ')}`);
    assert.ok(documented.includes(`| ${mode} | ${enough} of ${golden.length} |`), `docs/search.md tells of ${mode}`);
  }
}
