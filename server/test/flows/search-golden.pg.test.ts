/** What readers ask of real vaults, and the notes they mean: through HTTP, on both engines. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { onEachEngine } from '../kit/engines.ts';
import type { Wire } from '../kit/notes.ts';
import { startServer } from '../kit/server.ts';

/** A question, any of the notes that answer it, and among how many of the first results one of them must be. */
interface Golden {
  readonly vault: string;
  readonly query: string;
  readonly notes: readonly string[];
  readonly within: number;
}

const golden: Golden[] = JSON.parse(readFileSync(new URL('../golden/queries.json', import.meta.url), 'utf8'));
const vaults = fileURLToPath(new URL('../../../../shared/vaults/', import.meta.url));
const names = [...new Set(golden.map(({ vault }) => vault))];
/** How many must hold, by mode; docs/search.md says the same. What is lost here was lost by a change. */
const least: Readonly<Record<string, number>> = { keyword: 68, hybrid: 66 };

const documented = readFileSync(new URL('../../../docs/search.md', import.meta.url), 'utf8').replace(/ +/g, ' ');

onEachEngine('golden queries', (open) => {
  test('the note that a reader means comes first, or among the first', async (t) => {
    await using server = await startServer({ open });
    const headers = new Map<string, Record<string, string>>();
    for (const name of names) {
      const { vault } = (await server.alice.post('/vaults', { name })).body;
      const chosen = { 'x-vault-id': vault.id as string };
      headers.set(name, chosen);
      const files = readdirSync(join(vaults, name), { recursive: true, encoding: 'utf8' });
      const paths = files.filter((file) => file.endsWith('.md')).sort();
      const notes = paths.map((path) => ({ path, mtime: 1, content: readFileSync(join(vaults, name, path), 'utf8') }));
      for (let at = 0; at < notes.length; at += 100) {
        const sent = { ...chosen, 'x-idempotency-key': `golden-${at}` };
        const { status } = await server.alice.post('/notes/batch', { notes: notes.slice(at, at + 100) }, sent);
        assert.equal(status, 200);
      }
    }
    assert.ok(golden.length >= 40);
    await server.app.search.embed(new AbortController().signal);
    for (const [mode, enough] of Object.entries(least)) {
      const missed: string[] = [];
      for (const { vault, query, notes, within } of golden) {
        const { body } = await server.alice.post('/search', { query, mode, limit: within }, headers.get(vault) ?? {});
        if (!body.results.some(({ path }: Wire) => notes.includes(path))) missed.push(`${vault}: ${query}`);
      }
      const held = golden.length - missed.length;
      t.diagnostic(`${mode}: ${held} of ${golden.length} hold; missed: ${missed.join(' | ')}`);
      assert.ok(held >= enough, `${mode}: only ${held} of ${golden.length} hold`);
      assert.ok(documented.includes(`| ${mode} | ${enough} of ${golden.length} |`), `docs/search.md tells of ${mode}`);
    }
  });
});
