import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Import } from '@notevault/protocol/imports.ts';
import { importView, skippedByReason } from './import-view.ts';

function job(change: Partial<Import> = {}): Import {
  return {
    id: 'import-1',
    vault_id: 'vault-1',
    dry_run: true,
    state: 'done',
    error: null,
    done: 3,
    total: 10,
    created_at: '2026-11-22T12:00:00Z',
    expires_at: '2026-11-23T12:00:00Z',
    report: {
      root: null,
      notes: 2,
      attachments: 1,
      unchanged: 0,
      renamed: [],
      renamed_count: 0,
      skipped: [],
      skipped_count: 0,
      dangling: null,
    },
    ...change,
  };
}

function shown(one: Import | null, known: Partial<Parameters<typeof importView>[0]> = {}) {
  return importView({ preparation: null, job: one, dismissed: null, vaultId: 'vault-1', ...known });
}

test('importView shows a dry run as a report and an import as a result, until either is dismissed', () => {
  assert.equal(shown(null).show, 'choice');
  assert.equal(shown(job()).show, 'report');
  assert.equal(shown(job({ dry_run: false })).show, 'result');
  assert.equal(shown(job(), { dismissed: 'import-1' }).show, 'choice');
});

test('importView shows what this tab does before what the server knows', () => {
  const preparation = { step: 'sending', done: 1, total: 2 } as const;
  assert.deepEqual(shown(job(), { preparation }), { show: 'progress', isElsewhere: false, ...preparation });
});

test('importView shows an import of another vault only while it runs', () => {
  const running = shown(job({ state: 'running', vault_id: 'vault-2' }));
  assert.deepEqual(running, { show: 'progress', step: 'checking', done: 3, total: 10, isElsewhere: true });
  assert.equal(shown(job({ vault_id: 'vault-2' })).show, 'choice');
  assert.equal(shown(job({ vault_id: 'vault-2', state: 'failed' })).show, 'choice');
});

test('importView says why the last import ended early', () => {
  const stopped = shown(job({ state: 'cancelled', dry_run: false }));
  assert.deepEqual(stopped, { show: 'choice', stopped: true, error: null });
  assert.deepEqual(shown(job({ state: 'cancelled' })), { show: 'choice', stopped: false, error: null });
  const failed = shown(job({ state: 'failed', error: 'damaged_archive' }));
  assert.deepEqual(failed, { show: 'choice', stopped: false, error: 'damaged_archive' });
});

test('skippedByReason groups files, the most frequent reason first', () => {
  const skipped = [
    { path: 'a', reason: 'link' },
    { path: 'b', reason: 'encrypted' },
    { path: 'c', reason: 'encrypted' },
  ];
  assert.deepEqual(skippedByReason(skipped), [
    ['encrypted', ['b', 'c']],
    ['link', ['a']],
  ]);
});
