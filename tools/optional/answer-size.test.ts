import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allTools } from '@notevault/mcp/all-tools.ts';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { Assistant } from '../../server/test/kit/clients/mcp.ts';
import { handWritten, LANGUAGES } from '../../server/test/kit/content/test-vault.ts';
import { onSqlite } from '../../server/test/kit/engines.ts';
import { startServer } from '../../server/test/kit/server.ts';

/** Maximum tokens of an answer's text or structured content, by default: hosts show models one of the two. */
const TOKENS_MAX = 8_000;

/** Maximum tokens of all tool definitions, which a model reads before it calls any tool. */
const DEFINITIONS_MAX = 6_500;

test('the definitions of all tools take at most 6,500 tokens', (context) => {
  const tokens = allTools.map(({ name, description, input }) =>
    countTokens(JSON.stringify({ name, description, inputSchema: input })),
  );
  const all = tokens.reduce((sum, each) => sum + each, 0);
  context.diagnostic(`${all} tokens for ${allTools.length} tools`);
  assert.ok(all <= DEFINITIONS_MAX, `${all} tokens`);
});

onSqlite('answers of tools', (open) => {
  test('answers of tools take at most 8,000 tokens by default, in any language', async (context) => {
    await using server = await startServer({ open });
    await server.alice.post('/vaults', { name: 'Home' });
    const { key } = (await server.alice.post('/api-keys', { name: 'k' })).body;
    const notes = LANGUAGES.map((language) => {
      const texts = [...handWritten(language).values()];
      return { path: `${language}.md`, content: texts.join('\n').repeat(3).slice(0, 60_000), mtime: 1 };
    });
    const code = Array.from({ length: 4_000 }, (_, n) => `x${n}=a[${n}]^0x${(n * 7919).toString(16)};`).join('\n');
    notes.push({ path: 'code.md', content: `\`\`\`\n${code}\n\`\`\`\n#a`, mtime: 1 });
    for (let at = 0; at < 150; at++) {
      const name = `A folder with many notes/Besprechung über die Planung des Gartens ${at}.md`;
      notes.push({ path: name, content: `# Ein anderer Titel ${at}\n\n${'#schlagwort'}${at} Garten\n`, mtime: 1 });
    }
    const keyed = (at: number) => ({ 'x-idempotency-key': `n${at}` });
    for (let at = 0; at < notes.length; at += 100)
      await server.alice.post('/notes/batch', { notes: notes.slice(at, at + 100) }, keyed(at));
    await using assistant = await Assistant.connect(server, key);
    const calls: [string, Record<string, unknown>][] = [
      ...[...LANGUAGES, 'code'].map((name): [string, object] => ['get_notes', { paths: [`${name}.md`] }]),
      ...LANGUAGES.map((name): [string, object] => ['get_notes', { paths: [`${name}.md`], view: 'outline' }]),
      ['get_notes', { paths: LANGUAGES.map((name) => `${name}.md`) }],
      ['list_folder', { path: 'A folder with many notes' }],
      ['list_tags', {}],
      ['recent_notes', {}],
      ['search_notes', { query: 'Garten' }],
      ['search', { query: 'Garten' }],
    ] as [string, Record<string, unknown>][];
    let largest = 0;
    for (const [name, input] of calls) {
      const { text, data, isError } = await assistant.call(name, input);
      assert.equal(isError, false, text);
      const tokens = Math.max(countTokens(text), countTokens(JSON.stringify(data)));
      assert.ok(tokens <= TOKENS_MAX, `${name} ${JSON.stringify(input)}: ${tokens} tokens`);
      largest = Math.max(largest, tokens);
    }
    context.diagnostic(`the largest answer has ${largest} tokens`);
  });
});
