import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import { Secret } from '../../../src/config/values.ts';
import { onSqlite } from '../../kit/engines.ts';
import { startServer } from '../../kit/server.ts';

const deploy = join(import.meta.dirname, '../../../../deploy');
const read = (path: string) => readFileSync(join(deploy, path), 'utf8');

/** Every value of this name in a document. */
function valuesOf(name: string, found: unknown): string[] {
  if (typeof found !== 'object' || found === null) return [];
  return Object.entries(found).flatMap(([key, value]) =>
    key === name && typeof value === 'string' ? [value] : valuesOf(name, value),
  );
}

/** A metric as an expression of Prometheus uses it. */
interface Use {
  readonly metric: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly labels: readonly string[];
}

function usesOf(expression: string): Use[] {
  const grouped = [...expression.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, names = '']) => names.split(/, */));
  return [...expression.matchAll(/(rate\()?\b((?:notevault|nodejs|process)_\w+)(?:\{([^}]*)\})?/g)].map(
    ([, rate, name = '', selector = '']) => {
      const isHistogram = /_(?:bucket|count|sum)$/.test(name);
      const type = isHistogram ? 'histogram' : rate === undefined ? 'gauge' : 'counter';
      const selected = [...selector.matchAll(/(\w+)=/g)].map(([, label = '']) => label);
      return { metric: name, type, labels: [...selected, ...grouped] };
    },
  );
}

onSqlite('deploy/', (open) => {
  test('has alerts and a dashboard of metrics that exist from the start, with their types and labels', async () => {
    await using server = await startServer({ open, config: { metricsToken: new Secret('a-token') } });
    await server.alice.post('/vaults', { name: 'Diary' });
    const { body } = await server.bearer('a-token').get('/../metrics');
    const text = String(body);
    const types = new Map([...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name = '', type = '']) => [name, type]));
    const expressions = [
      ...valuesOf('expr', parse(read('prometheus/alerts.yaml'))),
      ...valuesOf('expr', JSON.parse(read('grafana/notevault.json'))),
    ];
    const uses = expressions.flatMap(usesOf);
    assert.ok(uses.length > 20, `${uses.length}`);
    for (const { metric, type, labels } of uses) {
      const family = type === 'histogram' ? metric.replace(/_(?:bucket|count|sum)$/, '') : metric;
      assert.equal(types.get(family), type, `the type of ${family}`);
      const series = [...text.matchAll(new RegExp(`^${metric}(?:\\{(.*)\\})? \\S+$`, 'gm'))];
      assert.ok(series.length > 0, `${metric} has no series`);
      for (const label of labels) assert.ok(series[0]?.[1]?.includes(`${label}="`), `${metric} has no label ${label}`);
    }
  });

  test('has no metric that docs/operations.md does not explain', async () => {
    const page = readFileSync(join(deploy, '../docs/operations.md'), 'utf8');
    await using server = await startServer({ open, config: { metricsToken: new Secret('a-token') } });
    const { body } = await server.bearer('a-token').get('/../metrics');
    for (const [, name = ''] of String(body).matchAll(/^# TYPE (\w+) /gm)) {
      assert.ok(page.includes(name.replace('_p99_', '_p50_')), `${name} is not in docs/operations.md`);
    }
  });

  test('does not count refusals of a transaction as failures of the database', async () => {
    await using server = await startServer({ open, config: { metricsToken: new Secret('a-token') } });
    const { alice } = server;
    await alice.post('/vaults', { name: 'Diary' });
    await alice.post('/notes', { path: 'a.md', content: 'one', mtime: 1 });
    await alice.post('/notes', { path: 'b.md', content: 'two', mtime: 1 });
    const moved = await alice.post('/notes/rename', { old_path: 'a.md', new_path: 'b.md' });
    assert.ok(moved.status >= 400 && moved.status < 500, JSON.stringify(moved));
    const { body } = await server.bearer('a-token').get('/../metrics');
    const failures = [...String(body).matchAll(/^notevault_database_failures_total\{call="(\w+)"\} (\d+)$/gm)];
    assert.deepEqual(
      failures.map(([, call, count]) => `${call} ${count}`),
      ['get 0', 'all 0', 'read 0', 'transact 0'],
    );
  });
});
