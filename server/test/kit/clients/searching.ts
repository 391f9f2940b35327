import assert from 'node:assert/strict';
import type { Json, Writer } from '../notes.ts';
import type { TestServer } from '../server.ts';

/** The results of a search that succeeds. */
export async function results(who: Writer, query: string, more: Record<string, unknown> = {}): Promise<Json[]> {
  const { status, body } = await who.caller.post('/search', { query, ...more });
  assert.equal(status, 200, JSON.stringify(body));
  return body.results;
}

/** The paths of the notes that a search finds, in its order. */
export async function find(who: Writer, query: string, more: Record<string, unknown> = {}): Promise<string[]> {
  return (await results(who, query, more)).map(({ path }: Json) => path);
}

/** The paths of the notes that a search by vectors finds, in its order. */
export function near(who: Writer, query: string, more: Record<string, unknown> = {}): Promise<string[]> {
  return find(who, query, { mode: 'vector', ...more });
}

/** How many notes of a vault have vectors. */
export async function statusOf(who: Writer): Promise<Json> {
  return (await who.caller.get('/search/status')).body;
}

/** Makes the vectors that are missing. */
export function embed({ app }: TestServer): Promise<void> {
  return app.search.embed(new AbortController().signal);
}
